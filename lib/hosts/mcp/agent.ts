/** What all connections of one server share: the client of the library, the tools, and the files that commands made. */

import type { Client } from '../../client/types.ts';
import type { Registry } from '../../engine/command.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import type { FileResources } from './files.ts';
import type { Later } from './progress.ts';
import type { Selection } from './selection.ts';
import type { Tool } from './tools.ts';

export interface Agent {
  readonly client: Client<object>;
  readonly registry: Registry;
  readonly selection: Selection;
  readonly tools: readonly Tool[];
  readonly files: FileResources;
  readonly version: string;
  readonly catalogue: () => Promise<Catalogue>;
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  /** Runs something later. Default: by a timer. */
  readonly later?: Later | undefined;
}
