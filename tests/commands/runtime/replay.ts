import type { WarRoom } from '../../support/simulated.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Sends the room's last request once more with another body, past the command that made it. @returns what the service answers */
export async function replay({ requests, runtime }: WarRoom, change: (body: Fields) => Fields) {
  const last = requests.at(-1);
  if (last?.body === undefined) throw new Error('the last request has no body');
  const { status, body } = await runtime.transport.send({
    ...last,
    body: JSON.stringify(change(JSON.parse(last.body))),
  });
  const answer: Fields = JSON.parse(body);
  return { status, answer };
}
