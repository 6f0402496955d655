/**
 * What each guard adapter must do, whatever its framework: a single table, which a driver runs in each of them. A text
 * with `BAD` is blocked, a card number is masked or blocked, and `HIDDEN` is found only in prompts.
 */
import { NetworkError } from '../../../../lib/core/errors.ts';
import type { Guard, GuardOptions } from '../../../../lib/guard/guard.ts';
import { scripted, verdictOf } from '../scripted.ts';

/** A model that answers a prompt. */
export interface Scene {
  readonly prompt: string;
  /** Parts of one answer's text. */
  readonly texts: readonly string[];
  readonly streamed: boolean;
  /** The application aborts after the model has started an endless answer. */
  readonly leaving?: AbortController;
}

/** The outcome of an answer. */
export interface Told {
  /** Everything the application received, its text as the application joins it. */
  readonly shown: string;
  /** The framework ended the answer with the guard's refusal. */
  readonly refused: boolean;
  /** The model received the request. */
  readonly asked: boolean;
  /** The model's request was ended before its answer was complete. */
  readonly cancelled: boolean;
}

/** A tool that a model calls. */
export interface ToolScene {
  /** The arguments as the model wrote them: JSON, or nearly. */
  readonly input: string;
  /** Returns the result, or throws. */
  readonly run: () => unknown;
  /** The model streams its call, if the framework supports it. */
  readonly streamed: boolean;
}

export interface ToolTold {
  readonly ran: boolean;
  /** Everything the model reads after the call, and the application receives. */
  readonly read: string;
}

/** Runs behaviours in a framework. A driver without a model or without tools omits its method. */
export interface Driver {
  readonly adapter: string;
  answer?(guard: Guard, scene: Scene): Promise<Told>;
  call?(guard: Guard, scene: ToolScene): Promise<ToolTold>;
  /** A stream delivers an answer only as a whole. */
  readonly isWhole?: boolean;
  /** Behaviours that the framework cannot have, each with its reason. */
  readonly without?: Readonly<Record<string, string>>;
}

interface Behaviour {
  readonly title: string;
  readonly needs: 'answer' | 'call';
  run(driver: Required<Driver>): Promise<void>;
}

const LONG = 'word '.repeat(200);
const CARD = '4111 1111 1111 1111';
const MASKED = 'XXXX XXXX XXXX XXXX';
const FORMS = [
  { form: 'plain', streamed: false },
  { form: 'streamed', streamed: true },
];

function guardOf(options: Partial<GuardOptions> = {}): Guard {
  const isToolEvent = (text: string) => text.includes('tool_invoked');
  return scripted(options, (text, kind) => {
    const isHidden = kind === 'prompt' && text.includes('HIDDEN') && !isToolEvent(text);
    return verdictOf(isHidden ? 'BAD' : text, kind);
  }).guard;
}

function guardWithoutService(onError: 'allow' | 'block'): Guard {
  return scripted({ onError }, () => {
    throw new NetworkError('away');
  }).guard;
}

/** Behaviours of an answer, plain and streamed. */
const ANSWERS: readonly Behaviour[] = FORMS.flatMap(({ form, streamed }) => {
  const scene = { prompt: 'What is covered?', texts: [LONG], streamed };
  const behaviours: readonly Omit<Behaviour, 'needs'>[] = [
    {
      title: 'passes an answer byte for byte',
      run: async ({ answer }) => {
        expect(await answer(guardOf(), scene)).toEqual({ shown: LONG, refused: false, asked: true, cancelled: false });
      },
    },
    {
      title: 'refuses a bad prompt before the model is asked',
      run: async ({ answer }) => {
        const told = await answer(guardOf(), { ...scene, prompt: 'BAD' });
        expect(told).toMatchObject({ refused: true, asked: false });
        expect(told.shown).not.toContain('word');
      },
    },
    {
      title: 'refuses a bad answer and shows nothing of what is bad',
      run: async ({ answer, isWhole }) => {
        const told = await answer(guardOf(), { ...scene, texts: [`${LONG}BAD ${LONG}`] });
        expect(told).toMatchObject({ refused: true, cancelled: streamed });
        expect(told.shown).not.toContain('BAD');
        if (streamed) expect(told.shown.startsWith('word word')).toBe(!isWhole);
      },
    },
    {
      title: 'masks what the service masks',
      run: async ({ answer }) => {
        const told = await answer(guardOf({ mask: { output: true } }), { ...scene, texts: [`Card ${CARD}, paid.`] });
        expect(told).toMatchObject({ shown: `Card ${MASKED}, paid.`, refused: false });
      },
    },
    {
      title: 'finds a value that lies across two parts',
      run: async ({ answer }) => {
        const told = await answer(guardOf(), { ...scene, texts: ['Card 4111 1111', ' 1111 1111'] });
        expect(told.refused).toBe(true);
        expect(told.shown).not.toContain(CARD);
      },
    },
    ...(['allow', 'block'] as const).map((onError) => ({
      title: `follows onError ${onError} while the service is away`,
      run: async ({ answer }: Required<Driver>) => {
        const told = await answer(guardWithoutService(onError), scene);
        expect(told).toMatchObject({ refused: onError === 'block', asked: onError === 'allow' });
        expect(told.shown === LONG).toBe(onError === 'allow');
      },
    })),
  ];
  return behaviours.map(({ title, run }) => ({ title: `${title}, ${form}`, needs: 'answer', run }));
});

const LEAVES: Behaviour = {
  title: 'ends the model and shows nothing more when the application leaves',
  needs: 'answer',
  run: async ({ answer }) => {
    const scene = { prompt: 'What is covered?', texts: ['never shown'], streamed: true };
    const told = await answer(guardOf(), { ...scene, leaving: new AbortController() });
    expect(told).toMatchObject({ shown: '', refused: false, cancelled: true });
  },
};

class Report {
  readonly text = 'fine';
}

const REFUSED_INPUTS = [
  { title: 'bad arguments', input: '{"body":"BAD"}' },
  { title: 'bad arguments behind an escape of JSON', input: String.raw`{"body":"B\u0041D"}` },
  { title: 'arguments that have a member twice', input: '{"body":"BAD","body":"fine"}' },
  { title: 'arguments that are no JSON', input: '{"body":"fine"' },
];

const REFUSED_RESULTS: readonly { readonly title: string; readonly run: () => unknown }[] = [
  { title: 'bad', run: () => 'BAD' },
  { title: 'bad in a list of parts', run: () => [{ type: 'text', text: 'BAD' }] },
  { title: 'with instructions that are hidden in it', run: () => ({ page: ['HIDDEN'] }) },
  { title: 'a map', run: () => new Map([['page', 'BAD']]) },
  { title: 'an instance of a class', run: () => new Report() },
  {
    title: 'an error with bad words',
    run: () => {
      throw new Error('BAD');
    },
  },
];

const CALLS: readonly Behaviour[] = FORMS.flatMap(({ form, streamed }) => {
  const behaviours: readonly Omit<Behaviour, 'needs'>[] = [
    {
      title: 'runs a good call, and lets the model read its result',
      run: async ({ call }) => {
        const told = await call(guardOf(), { input: '{"body":"fine"}', run: () => ({ sent: 'yes' }), streamed });
        expect(told.ran).toBe(true);
        expect(told.read).toContain('yes');
      },
    },
    ...REFUSED_INPUTS.map(
      ({ title, input }): Omit<Behaviour, 'needs'> => ({
        title: `does not run a call with ${title}`,
        run: async ({ call }) => {
          const told = await call(guardOf(), { input, run: () => 'done', streamed });
          expect(told.ran).toBe(false);
          expect(told.read).not.toMatch(/BAD|done/u);
        },
      }),
    ),
    ...REFUSED_RESULTS.map(
      ({ title, run }): Omit<Behaviour, 'needs'> => ({
        title: `lets no reader see a result that is ${title}`,
        run: async ({ call }) => {
          const told = await call(guardOf(), { input: '{"body":"fine"}', run, streamed });
          expect(told.ran).toBe(true);
          expect(told.read).not.toMatch(/BAD|HIDDEN|"text":"fine"/u);
        },
      }),
    ),
    ...(['allow', 'block'] as const).map(
      (onError): Omit<Behaviour, 'needs'> => ({
        title: `follows onError ${onError} about a call while the service is away`,
        run: async ({ call }) => {
          const told = await call(guardWithoutService(onError), {
            input: '{"body":"fine"}',
            run: () => 'done',
            streamed,
          });
          expect(told.ran).toBe(onError === 'allow');
        },
      }),
    ),
  ];
  return behaviours.map(({ title, run }) => ({ title: `${title}, ${form}`, needs: 'call', run }));
});

export const BEHAVIOURS: readonly Behaviour[] = [...ANSWERS, LEAVES, ...CALLS];
