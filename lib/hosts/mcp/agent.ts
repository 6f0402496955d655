/** State that all connections of one server share: the client of the library, the tools, and the files that commands made. */

import type { Client } from '../../client/types.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import type { FileResources } from './files.ts';
import type { Later } from './progress.ts';
import type { Reach } from './reachable.ts';
import type { Tool } from './tools.ts';

export interface Agent extends Reach {
  readonly client: Client<object>;
  readonly tools: readonly Tool[];
  readonly files: FileResources;
  readonly version: string;
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  /** Runs something later. Default: by a timer. */
  readonly later?: Later | undefined;
}
