import { type ContextType, type ContractArgument, type ContractCommand, transcribed } from './transcription.ts';

/** Red-team testing, the second document: 84 commands. */
export const redTeam = transcribed('red-team');
/** Model security, the third document. */
export const modelSecurity = transcribed('model-security');

const LIMIT: ContractArgument = { name: 'limit', kind: 'number' };
const OFFSET: ContractArgument = { name: 'offset', kind: 'number' };
/** Lists that the service sends in one response. */
const WHOLE = [
  'aisec-redteam-categories-list',
  'aisec-redteam-prompt-sets-active-list',
  'aisec-redteam-custom-attack-report-prompt-sets',
];

/** Lists also page by `limit` and `offset` where the specification names other arguments or none; both are extensions. */
function withPaging(each: ContractCommand): ContractCommand {
  const { command, arguments: own, extensions = [] } = each;
  const names = [...own, ...extensions].map(({ name }) => name);
  const skips = names.includes('skip') && !names.includes('offset') ? [OFFSET] : [];
  const pages = names.includes('page') || WHOLE.includes(command) ? [LIMIT, OFFSET] : [];
  return { ...each, extensions: [...extensions, ...skips, ...pages] };
}

/** Exactly the commands in the manifest. */
export const due: readonly ContractCommand[] = [
  ...transcribed('runtime'),
  ...transcribed('dlp'),
  ...redTeam,
  ...modelSecurity,
].map(withPaging);

/** Maps each full context path to its type, for every output of a command. */
export const outputTypes = ({ context, outputs, atEnd }: ContractCommand): Map<string, ContextType> => {
  const records = [{ context, outputs }, ...(atEnd === undefined ? [] : [atEnd])];
  return new Map(
    records.flatMap((record) =>
      Object.entries(record.outputs).map(([field, type]): [string, ContextType] => [
        field === '' ? record.context : `${record.context}.${field}`,
        type,
      ]),
    ),
  );
};
