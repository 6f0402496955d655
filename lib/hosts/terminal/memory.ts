import { setFlagsFromString } from 'node:v8';

/**
 * Long work makes much that is soon forgotten. V8 then takes room by doubling and waits long before it clears it, until
 * most of what the program holds is rubbish. It is as fast with less: these two are looked at whenever it wants more room.
 */
export function staySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=100');
}
