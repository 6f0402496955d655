/**
 * Lists and reads resources: the command reference, playbooks, and files that commands created. Playbooks are also
 * prompts.
 */
import type { Prompt, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { catalogueEntry } from '../../manifest/command-catalogue.ts';
import type { Agent } from './agent.ts';
import { plain } from './content.ts';
import { findReachable } from './reach.ts';

const COMMAND = 'aisec://commands/';
const PLAYBOOK = 'aisec://playbooks/';

type Content = ReadResourceResult['contents'][number];

/** Lists playbooks and files; commands have a template, because there are too many to list. */
export async function listResources({ playbooks, files }: Agent): Promise<Resource[]> {
  const texts = await playbooks();
  return [
    ...texts.map(({ name }) => ({
      uri: `${PLAYBOOK}${name}`,
      name,
      description: 'A playbook of the automation platform.',
      mimeType: 'application/yaml',
    })),
    ...files.list(),
  ];
}

/** The template of the command reference. */
export const TEMPLATES = [
  {
    uriTemplate: `${COMMAND}{name}`,
    name: 'Command reference',
    description: 'The declaration of a command, with the JSON Schemas of its arguments and outputs.',
    mimeType: 'application/json',
  },
];

/** Reads a resource. @returns undefined for an unknown address */
export async function readResource(agent: Agent, uri: string): Promise<Content | undefined> {
  if (uri.startsWith(COMMAND)) return readCommand(agent, uri, uri.slice(COMMAND.length));
  if (uri.startsWith(PLAYBOOK)) {
    const found = (await agent.playbooks()).find(({ name }) => uri === `${PLAYBOOK}${name}`);
    return found === undefined ? undefined : { uri, mimeType: 'application/yaml', text: found.text };
  }
  const file = await agent.files.read(uri);
  if (file === undefined) return undefined;
  const { mimeType, bytes } = file;
  const isText = /^text\/|json|yaml|xml|csv/.test(mimeType);
  return { uri, mimeType, ...(isText ? { text: plain(bytes.toString('utf8')) } : { blob: bytes.toString('base64') }) };
}

async function readCommand(agent: Agent, uri: string, name: string): Promise<Content | undefined> {
  const command = await findReachable(agent, name);
  if (command === undefined) return undefined;
  return { uri, mimeType: 'application/json', text: JSON.stringify(catalogueEntry(command), undefined, 1) };
}

/** Lists the playbooks as prompts. */
export async function listPrompts({ playbooks }: Agent): Promise<Prompt[]> {
  const texts = await playbooks();
  return texts.map(({ name }) => ({
    name,
    description: `Do what the playbook ${name} does, step by step.`,
    arguments: [{ name: 'inputs', description: 'Its inputs, as text.', required: false }],
  }));
}

/** Writes a playbook as a prompt. @returns undefined for an unknown name */
export async function promptText({ playbooks }: Agent, name: string, inputs: string): Promise<string | undefined> {
  const found = (await playbooks()).find((playbook) => playbook.name === name);
  if (found === undefined) return undefined;
  return `Do what this playbook does with the commands of aisec, one task after the other. Ask before you delete or replace anything.${
    inputs === '' ? '' : `\nInputs: ${inputs}`
  }\n\n${found.text}`;
}
