/** What errors quote: a client may render them as markdown, and an image would send data to its address. */
import { expectNone } from '../../support/expect-none.ts';
import { liveMarkup } from './markup.ts';
import { closeConnectionsAfterEach, connect } from './support.ts';

closeConnectionsAfterEach();

const MARKUP = [
  '![](http://192.0.2.1/a?secret)',
  '![a][b]',
  '[a](http://192.0.2.1)',
  '!\\[a\\](http://192.0.2.1/a)',
  '\\![a](//192.0.2.1/a)',
  '<img src=//192.0.2.1/a>',
  '<http://192.0.2.1/a>',
  'www.example.com',
];

/** Each way in which a word of the agent, or of what it has read, comes into an error. */
const CALLS = {
  'an unknown tool': (word: string) => ({ name: word, args: {} }),
  'an unknown command': (word: string) => ({ name: 'aisec_read', args: { command: word } }),
  'an unknown command to describe': (word: string) => ({ name: 'aisec_describe', args: { command: word } }),
  'an unknown argument of a tool': (word: string) => ({ name: 'aisec_search', args: { words: 'x', [word]: 1 } }),
  'an unknown argument of a command': (word: string) => ({
    name: 'aisec_read',
    args: { command: 'aisec-runtime-topics-list', arguments: { [word]: 1 } },
  }),
  'a value that is refused': (word: string) => ({
    name: 'aisec_read',
    args: { command: 'aisec-runtime-topics-list', arguments: { limit: word } },
  }),
  'a profile that does not exist': (word: string) => ({
    name: 'aisec-runtime-scan',
    args: { profile_name: word, prompt: 'x' },
  }),
};

test.each(Object.entries(CALLS))('%s is quoted without an image, a link or a tag', async (_, callOf) => {
  const { call } = await connect();
  const found: string[] = [];
  for (const word of MARKUP) {
    const { name, args } = callOf(word);
    const { isError, text } = await call(name, args);
    if (!isError) found.push(`${word}: is no error`);
    found.push(...liveMarkup(text.replace(/<\/?aisec-data-[0-9a-f]{12}>/g, '')).map((live) => `${word}: ${live}`));
  }
  expectNone(found, 'errors that a client would render');
});

test.each(MARKUP)('an unknown prompt or resource named %s is quoted without markup', async (word) => {
  const { client } = await connect();
  const errors = [client.getPrompt({ name: word }), client.readResource({ uri: word })].map((sent) =>
    sent.then(
      () => 'no error',
      (thrown: unknown) => (thrown as Error).message,
    ),
  );
  const found = (await Promise.all(errors)).flatMap((text) => [
    ...liveMarkup(text),
    ...(text === 'no error' ? [text] : []),
  ]);
  expectNone(found, 'errors that a client would render');
});
