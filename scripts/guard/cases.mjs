/** The cases that each adapter must pass in its real framework; a driver runs them in the framework. */
import assert from 'node:assert/strict';
import { AWAY, BAD, CARD, GOOD, INJECTION, MESSAGE } from './framework.mjs';

const FORMS = [
  { form: 'plain', isStreamed: false },
  { form: 'streamed', isStreamed: true },
];

/**
 * Runs the cases.
 * @param titled registers a check
 * @param driver `answer({ prompt, text, isStreamed }, options, scanner)` lets a model answer behind a guard with these
 * options, and returns `{ text, refused, read, cancelled }`: the text that the application got, whether it was a
 * refusal, the text that the model read (JSON; empty if it got no request), and whether its request was cancelled;
 * `call({ body, result, isStreamed })` lets a model call a tool, and returns `{ ran, read }`: the input that the tool
 * got, and everything that the model and the application read afterwards. `isWhole`: streams show an answer only as a
 * whole. `keepsPrompts`: the framework cannot mask a prompt, so the prompt is refused.
 */
export async function tryCases(titled, { answer, call, isWhole = false, keepsPrompts = false, keepsEvents = false }) {
  for (const { form, isStreamed } of FORMS) {
    const answered = (scene, ...guard) =>
      answer({ prompt: 'What is covered?', text: GOOD, isStreamed, ...scene }, ...guard);
    const cases = {
      'passes an answer byte for byte': async () => {
        const { text, refused, read } = await answered({});
        assert.deepEqual([text, refused], [GOOD, false]);
        assert.ok(read.includes('What is covered?'));
      },
      'blocks a prompt before the model starts': async () => {
        const { text, refused, read } = await answered({ prompt: INJECTION, text: 'never' });
        assert.deepEqual([refused, read, text.includes('never')], [true, '', false]);
      },
      'cuts an answer before the bad text': async () => {
        const { text, refused, cancelled } = await answered({ text: BAD + GOOD.repeat(20) });
        assert.ok(refused && !text.includes('4111') && (!isStreamed || cancelled));
        assert.equal(text.startsWith('word word'), isStreamed && !isWhole);
      },
      'masks an answer': async () => {
        const { text, refused } = await answered({ text: BAD }, { mask: { output: true } });
        const isMasked = !(isStreamed && keepsEvents);
        assert.deepEqual([refused, text.includes('4111'), text.length === BAD.length], [!isMasked, false, isMasked]);
      },
      'masks a prompt before the model reads it': async () => {
        const { refused, read } = await answered({ prompt: CARD }, { mask: { input: true } });
        assert.deepEqual(
          [refused, read.includes('My card'), read.includes('4111')],
          [keepsPrompts, !keepsPrompts, false],
        );
      },
      ...Object.fromEntries(
        ['block', 'allow'].map((onError) => [
          `follows onError ${onError} while the service is away`,
          async () => {
            const { text, refused, read } = await answered({}, { onError }, AWAY);
            assert.deepEqual(
              [refused, text === GOOD, read !== ''],
              onError === 'block' ? [true, false, false] : [false, true, true],
            );
          },
        ]),
      ),
    };
    for (const [title, run] of Object.entries(cases)) await titled(`${title}, ${form}`, run);
    if (call === undefined) continue;
    for (const [title, scene, ran, seen] of [
      ['runs a good tool call', { body: 'fine', result: 'is sent' }, ['fine'], 'is sent'],
      ['refuses a bad tool call', { body: INJECTION, result: 'is sent' }, [], MESSAGE],
      ['replaces a bad tool result', { body: 'fine', result: INJECTION }, ['fine'], MESSAGE],
    ])
      await titled(`${title}, ${form}`, async () => {
        const told = await call({ ...scene, isStreamed });
        assert.deepEqual(told.ran, ran);
        assert.ok(told.read.includes(seen) && !told.read.includes('Ignore'), told.read.slice(-1000));
      });
  }
}
