/** Reads what a person pastes into the guard's view, and splits the answer that is shown. */

const TURN = /^(user|assistant|system|tool)\s*:\s*/i;

/** Reads a prompt, or lines that begin with a role, such as `user: Hello`. Other lines belong to the message before them. */
export function messagesIn(text: string) {
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [found = '', role = 'user'] = TURN.exec(line) ?? [];
    const last = messages.at(-1);
    if (last === undefined || found !== '')
      messages.push({ role: role.toLowerCase(), content: line.slice(found.length) });
    else last.content += `\n${line}`;
  }
  return messages;
}

/** Characters of one piece of a stream, about as a model sends them. */
const PIECE = /[\s\S]{1,24}/gu;

/** Cuts a text into pieces, and writes them as server-sent events. */
export function eventsFor(text: string): string {
  const pieces = (text.match(PIECE) ?? []).map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`);
  return `${pieces.join('')}event: end\ndata: {}\n\n`;
}

/**
 * Splits an answer into what was released, what the guard has changed in it, and what it holds or blocks.
 * @param end undefined until the guard has decided
 */
export function partsOf(sent: string, released: string, end: 'allow' | 'block' | 'mask' | undefined) {
  let same = 0;
  while (same < released.length && sent[same] === released[same]) same += 1;
  const rest = sent.slice(same);
  const changed = released.slice(same);
  let alike = 0;
  while (alike < Math.min(rest.length, changed.length) && rest.at(-1 - alike) === changed.at(-1 - alike)) alike += 1;
  const isUnseen = changed === '' && end !== 'allow';
  return [
    { text: released.slice(0, same), kind: 'released' },
    { text: changed.slice(0, changed.length - alike), kind: 'masked' },
    { text: changed.slice(changed.length - alike), kind: 'released' },
    { text: isUnseen ? rest : '', kind: end === 'block' ? 'blocked' : 'held' },
  ].filter(({ text }) => text !== '');
}
