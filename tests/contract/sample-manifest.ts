import { outputTypes } from './commands.ts';
import type { ContractArgument, ContractCommand } from './transcription.ts';

export interface SampleManifest {
  configuration: Record<string, unknown>[];
  script: { commands: SampleCommand[]; [key: string]: unknown };
  [key: string]: unknown;
}

interface SampleCommand {
  name: string;
  arguments: Record<string, unknown>[];
  outputs: Record<string, unknown>[];
  [key: string]: unknown;
}

const argument = ({ name, required, default: value, choices, kind }: ContractArgument): Record<string, unknown> => ({
  name,
  description: 'An argument.',
  ...(required && { required }),
  ...(value !== undefined && { defaultValue: value }),
  ...(kind === 'list' && { isArray: true }),
  ...(choices && { auto: 'PREDEFINED', predefined: choices }),
});

const command = (contract: ContractCommand): SampleCommand => ({
  name: contract.command,
  description: 'A command.',
  arguments: contract.arguments.map(argument),
  outputs: [...outputTypes(contract)].map(([contextPath, type]) => ({ contextPath, description: 'A field.', type })),
});

const credentials = { type: 9, required: true, section: 'Connect' };
const address = { type: 0, section: 'Connect' };

/** A manifest that the platform accepts and that matches these commands: tests change it to break a check. */
export const sampleManifest = (commands: readonly ContractCommand[]): SampleManifest => ({
  commonfields: { id: 'Sample', version: -1 },
  name: 'Sample',
  display: 'Sample',
  category: 'Network Security',
  description: 'A sample.',
  sectionorder: ['Connect'],
  configuration: [
    { ...address, name: 'url', display: 'Server URL', required: true },
    { ...credentials, name: 'credentials', display: 'API Client ID', displaypassword: 'API Client Secret' },
    {
      ...credentials,
      name: 'runtime_api_key',
      display: 'Runtime API Key',
      displaypassword: 'Runtime API Key',
      hiddenusername: true,
    },
    { ...address, name: 'tsg_id', display: 'Tenant Services Group ID', required: true },
    { ...address, name: 'scanner_base_url', display: 'Scanner API Base URL', defaultvalue: 'https://scanner.example' },
    { ...address, name: 'dlp_base_url', display: 'DLP API Base URL', defaultvalue: 'https://dlp.example' },
    { name: 'insecure', display: 'Trust any certificate (not secure)', type: 8, defaultvalue: 'false' },
    { name: 'proxy', display: 'Use system proxy settings', type: 8, defaultvalue: 'false' },
  ],
  script: { script: '-', type: 'javascript', commands: commands.map(command) },
});
