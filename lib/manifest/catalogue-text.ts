/** Serializes the catalogue, one line for each command: most runs parse only names and summaries. */
import type { Catalogue, CommandInfo } from './catalogue.ts';

const TAB = '\t';

/** Serializes the catalogue. @returns ASCII: name, summary and full JSON, separated by tabs */
export function catalogueText(catalogue: Catalogue): string {
  return catalogue.map((info) => [info.name, info.summary, ascii(JSON.stringify(info))].join(TAB)).join('\n');
}

function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Parses the catalogue; the JSON of a command is parsed on first access. @param text from `catalogueText` */
export function readCatalogue(text: string): Catalogue {
  return text.split('\n').map(readInfo);
}

function readInfo(line: string): CommandInfo {
  const [name = '', summary = '', json = ''] = line.split(TAB, 3);
  let read: CommandInfo | undefined;
  const all = () => {
    read ??= JSON.parse(json) as CommandInfo;
    return read;
  };
  return {
    name,
    summary,
    get effect() {
      return all().effect;
    },
    get outside() {
      return all().outside;
    },
    get repeatable() {
      return all().repeatable;
    },
    get example() {
      return all().example;
    },
    get rules() {
      return all().rules;
    },
    get arguments() {
      return all().arguments;
    },
    get job() {
      return all().job;
    },
    get context() {
      return all().context;
    },
    get outputs() {
      return all().outputs;
    },
  };
}
