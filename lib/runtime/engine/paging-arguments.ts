/**
 * Adds `limit` and `offset` to the lists whose interface pages in other terms: `skip`, or `page` and `size`. They are
 * extensions; without them a list sends exactly the request that its interface specifies.
 */

import { isOwn } from '../../core/text/own.ts';
import { type Call, isList, type ListCall } from '../api/call.ts';
import { type Argument, type Arguments, number } from '../arguments/builders.ts';
import { exclusiveAsTyped, type Rule } from '../arguments/rules.ts';

type Values = Readonly<Record<string, unknown>>;

interface Declaration {
  readonly args: Arguments;
  readonly rules?: readonly Rule[];
  readonly call?: (args: never, now: number) => Call | ListCall;
  readonly run?: (args: never, tools: never) => Promise<unknown>;
}

/** Records of a page that only `offset` chooses: the default of `size`. */
const DEFAULT_LIMIT = 50;

const LIMIT = number('Maximum number of records to return.', { extension: true, schema: { minimum: 1 } });
const OFFSET = number('Number of records to skip before the first one.', { extension: true, schema: { minimum: 0 } });

/** Arguments of a list that the service sends as a whole: all records by default. */
export const window: { limit: Argument<number | undefined>; offset: Argument<number | undefined> } = {
  limit: LIMIT,
  offset: OFFSET,
};

/** Adds the arguments to a declaration that pages in other terms; returns any other declaration unchanged. */
export function withPagingArguments<D extends Declaration>(declaration: D): D {
  const { args, rules = [] } = declaration;
  if (isOwn(args, 'skip') && !isOwn(args, 'offset')) {
    const added = { args: { ...args, offset: OFFSET }, rules: [...rules, exclusiveAsTyped('offset', 'skip')] };
    return { ...declaration, ...added, ...handlers(declaration, skipping) };
  }
  if (!isOwn(args, 'page') || isOwn(args, 'limit')) return declaration;
  const added = {
    args: { ...args, ...window },
    rules: [...rules, exclusiveAsTyped('limit', 'page', 'size'), exclusiveAsTyped('offset', 'page', 'size')],
  };
  return { ...declaration, ...added, ...handlers(declaration, (values) => values, inRecords) };
}

/** Returns the argument whose value continues a list: the one that was typed, or else the interface's own. */
export function positionArgument(args: Arguments, values: Values): 'offset' | 'skip' | 'page' | undefined {
  const isTyped = values['offset'] !== undefined || (isOwn(args, 'page') && values['limit'] !== undefined);
  if (isTyped) return 'offset';
  return (['skip', 'page', 'offset'] as const).filter((name) => isOwn(args, name))[0];
}

function handlers(
  { call, run }: Declaration,
  values: (args: Values) => Values,
  list: (call: ListCall, args: Values) => ListCall = (call) => call,
) {
  const called = call as ((args: Values, now: number) => Call | ListCall) | undefined;
  const ran = run as ((args: Values, tools: unknown) => Promise<unknown>) | undefined;
  return {
    ...(called === undefined
      ? {}
      : {
          call: (args: Values, now: number) => {
            const made = called(values(args), now);
            return isList(made) ? list(made, args) : made;
          },
        }),
    ...(ran === undefined ? {} : { run: (args: Values, tools: unknown) => ran(values(args), tools) }),
  };
}

function skipping({ offset, ...others }: Values): Values {
  return offset === undefined ? others : { ...others, skip: offset };
}

function inRecords(call: ListCall, { limit, offset }: Values): ListCall {
  if (limit === undefined && offset === undefined) return call;
  return { ...call, records: { limit: Number(limit ?? DEFAULT_LIMIT), offset: Number(offset ?? 0) } };
}
