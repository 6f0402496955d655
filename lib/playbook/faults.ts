/** What is wrong with a playbook, or cannot be rehearsed: all of it is told at once. */
import { type Problem, ValidationError } from '../errors.ts';

export interface Faults {
  /** @param place such as `Task 3 (Scan)`; empty for the playbook itself */
  add(place: string, what: string, hint?: string): void;
  /** @throws ValidationError when there are any */
  end(): void;
}

export function collectFaults(): Faults {
  const problems: Problem[] = [];
  return {
    add: (place, what, hint) => void problems.push({ message: place === '' ? what : `${place}: ${what}`, hint }),
    end: () => {
      if (problems.length > 0) throw new ValidationError(problems);
    },
  };
}
