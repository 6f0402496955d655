import type { WarRoom } from '../../support/simulated.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Repeats the room's last request with another body, without running its command. @returns the response */
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
