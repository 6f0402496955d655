/** The part of the expressions of GitHub Actions that the action and its workflows use. */

type Value = string | boolean | undefined;

/** Values by dotted name, such as `inputs.gate`. */
export interface Scope {
  readonly values: Readonly<Record<string, string>>;
  /** Whether an earlier step failed. */
  readonly failed: boolean;
}

const TOKEN = /\s*('(?:[^']|'')*'|[A-Za-z_][\w.-]*(?:\(\))?|==|!=|&&|\|\||!|\(|\))/y;

/** Replaces the expressions of a text by their values. */
export function interpolated(text: string, scope: Scope): string {
  return text.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, expression: string) => String(evaluated(expression, scope) ?? ''));
}

/** Decides whether a step runs. Without a function about the state, only after steps that have not failed. */
export function isDue(condition: string | undefined, scope: Scope): boolean {
  const expression = (condition ?? 'success()').replace(/^\s*\$\{\{|\}\}\s*$/g, '');
  const hasState = /\b(?:always|success|failure|cancelled)\(\)/.test(expression);
  return (hasState || !scope.failed) && Boolean(evaluated(expression, scope));
}

/** Evaluates an expression. @throws Error for unknown syntax */
export function evaluated(expression: string, { values, failed }: Scope): Value {
  const tokens = tokensOf(expression);
  const functions: Readonly<Record<string, boolean>> = {
    'always()': true,
    'success()': !failed,
    'failure()': failed,
    'cancelled()': false,
  };
  const take = (token: string) => (tokens[0] === token ? tokens.shift() : undefined);
  const primary = (): Value => {
    const token = tokens.shift();
    if (token === '!') return !primary();
    if (token === '(') {
      const inner = either();
      if (take(')') === undefined) throw new Error(`no end of the brackets in ${expression}`);
      return inner;
    }
    if (token?.startsWith("'")) return token.slice(1, -1).replace(/''/g, "'");
    if (token?.endsWith('()') && functions[token] !== undefined) return functions[token];
    if (token === undefined || !/^(?:inputs|steps|secrets|vars|env)\./.test(token))
      throw new Error(`${token} is not expected in ${expression}`);
    return values[token];
  };
  const compared = (): Value => {
    const left = primary();
    if (take('==') !== undefined) return (left ?? '') === (primary() ?? '');
    if (take('!=') !== undefined) return (left ?? '') !== (primary() ?? '');
    return left;
  };
  const both = (): Value => {
    let left = compared();
    while (take('&&') !== undefined) {
      const right = compared();
      left = left ? right : left;
    }
    return left;
  };
  const either = (): Value => {
    let left = both();
    while (take('||') !== undefined) {
      const right = both();
      left = left ? left : right;
    }
    return left;
  };
  const value = either();
  if (tokens.length > 0) throw new Error(`${tokens[0]} is not expected in ${expression}`);
  return value;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (expression.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(expression) ?? [];
    if (token === undefined) throw new Error(`cannot read ${expression.slice(at)}`);
    tokens.push(token);
  }
  return tokens;
}
