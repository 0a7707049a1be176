import type { Random } from '../faults/seeded-random.ts';
import type { AccessChecker } from './access-checker.ts';
import type { Audience } from './access-model.ts';

/** A command with options that a person types or selects, on either platform. */
export type Given = {
  readonly name: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Only they see the result. */
  readonly secret?: boolean;
  /** The name of the operation in the trace and the model. */
  readonly operation: string;
};

export type Writer = {
  readonly random: Random;
  readonly checker: AccessChecker;
  readonly user: string;
  /** A person of the same tenant, as the platform writes a mention. */
  readonly other: string;
  /** Another bot that administrators may allow. */
  readonly bot: string;
  /** The audiences of a question in this place, and of texts saved for all. */
  readonly here: Audience;
  readonly everywhere: Audience;
  /** The audience of one person. */
  readonly own: Audience;
  /** The channel where they are, and all channels of the tenant, as the platform writes a mention. */
  readonly channel: string;
  readonly channels: readonly string[];
};

export const pick = <T>(random: Random, from: readonly T[]): T | undefined =>
  from[Math.floor(random() * from.length)];

const PERSONAS = ['coach', 'pirate', 'ada'];
const SCHEMAS = ['ticket', 'note'];
const LEVELS = ['me', 'channel', 'workspace', 'thread'];

/** Chooses the command that a person types. */
export type ChooseCommand = (of: Writer) => Given;
type Make = ChooseCommand;

const word = ({ checker, user }: Writer, audience: Audience): string => checker.plant(audience, user);
const one = ({ random }: Writer, from: readonly string[]): string => pick(random, from) ?? '';

const schema = (marker: string): string =>
  JSON.stringify({
    type: 'object',
    properties: { note: { type: 'string', description: marker } },
    required: ['note'],
    additionalProperties: false,
  });

const MAKES: readonly (readonly [number, Make])[] = [
  [8, (of) => ({ name: 'ask', options: { question: `Why is ${word(of, of.here)}?` }, operation: 'ask' })],
  [
    6,
    (of) => ({
      name: 'ask',
      options: { question: `What of ${word(of, of.own)}?`, private: true },
      secret: true,
      operation: 'ask privately',
    }),
  ],
  [
    4,
    (of) => ({
      name: 'ask',
      options: { question: `Fill in ${word(of, of.own)}`, schema: one(of, SCHEMAS) },
      secret: true,
      operation: 'ask for a form',
    }),
  ],
  [
    6,
    (of) => ({
      name: 'persona',
      options: { do: 'save', name: one(of, PERSONAS), text: `Be like ${word(of, of.everywhere)}.` },
      operation: 'save a persona',
    }),
  ],
  [
    6,
    (of) => ({
      name: 'persona',
      options: { do: 'use', name: one(of, PERSONAS), for: one(of, LEVELS) },
      operation: 'setting by persona',
    }),
  ],
  [
    4,
    (of) => ({
      name: 'persona',
      options: { do: 'show', name: one(of, PERSONAS) },
      operation: 'show a persona',
    }),
  ],
  [
    3,
    (of) => ({
      name: 'persona',
      options: { do: 'remove', name: one(of, PERSONAS) },
      operation: 'setting by removal',
    }),
  ],
  [2, () => ({ name: 'persona', options: {}, operation: 'list personas' })],
  [
    4,
    (of) => ({
      name: 'schema',
      options: { do: 'save', name: one(of, SCHEMAS), text: schema(word(of, of.everywhere)) },
      operation: 'save a schema',
    }),
  ],
  [
    2,
    (of) => ({ name: 'schema', options: { do: 'show', name: one(of, SCHEMAS) }, operation: 'show a schema' }),
  ],
  [
    1,
    (of) => ({
      name: 'schema',
      options: { do: 'remove', name: one(of, SCHEMAS) },
      operation: 'remove a schema',
    }),
  ],
  [
    5,
    (of) => ({
      name: 'settings',
      options: {
        name: 'instructions',
        value: `Heed ${word(of, of.everywhere)}.`,
        for: one(of, ['channel', 'workspace', 'me']),
      },
      operation: 'setting of instructions',
    }),
  ],
  [
    6,
    (of) => {
      const [name, value] = pick(of.random, SETTINGS) ?? ['footer', 'off'];
      const lock = of.random() < 0.2 ? { lock: 'by rule' } : {};
      return {
        name: 'settings',
        options: {
          name,
          value: value === 'WHO' ? of.other : value === 'BOT' ? of.bot : value,
          for: one(of, LEVELS),
          ...lock,
        },
        operation: `setting of ${name}`,
      };
    },
  ],
  [4, () => ({ name: 'settings', options: {}, operation: 'setting shown' })],
  [
    2,
    (of) => ({
      name: 'model',
      options: { model: 'model-b', for: one(of, LEVELS) },
      operation: 'setting of model',
    }),
  ],
  [
    5,
    (of) => {
      const amount = one(of, ['$0.05/day', '5/day', '$1/week']);
      const scope = one(of, ['person', 'channel', 'workspace']);
      const who = scope === 'person' && of.random() < 0.5 ? { who: of.other } : {};
      return { name: 'quota', options: { do: 'set', for: scope, amount, ...who }, operation: 'set a budget' };
    },
  ],
  [
    8,
    (of) => ({
      name: 'quota',
      options: { do: 'set', for: 'person', amount: '0/day', who: of.other },
      operation: 'set a budget',
    }),
  ],
  [
    3,
    (of) => ({
      name: 'quota',
      options: { do: one(of, ['block', 'block', 'unblock']), who: of.other },
      operation: 'block a person',
    }),
  ],
  [1, () => ({ name: 'quota', options: { do: 'reset', for: 'workspace' }, operation: 'reset a budget' })],
  [
    3,
    (of) => ({
      name: 'usage',
      options: { of: one(of, ['mine', 'channel', 'workspace']) },
      operation: 'usage',
    }),
  ],
  [3, () => ({ name: 'why', options: {}, operation: 'why' })],
  [4, () => ({ name: 'export', options: { what: 'me' }, operation: 'export me' })],
  [2, () => ({ name: 'export', options: { what: 'thread' }, operation: 'export thread' })],
  [4, (of) => ({ name: 'forget', options: { what: one(of, ['me', 'thread']) }, operation: 'forget' })],
  [
    3,
    (of) => ({
      name: 'summarise',
      options: { period: one(of, ['yesterday', 'week']) },
      secret: true,
      operation: 'summarise',
    }),
  ],
  [2, () => ({ name: 'feedback', options: {}, operation: 'feedback' })],
  [
    2,
    (of) => ({
      name: 'voice',
      options: { do: one(of, ['on', 'auto', 'optout', 'optin']) },
      operation: 'setting of voice',
    }),
  ],
  [4, () => ({ name: 'key', options: {}, operation: 'key' })],
  [
    4,
    (of) => ({
      name: 'imagine',
      options: { prompt: `A drawing of ${word(of, of.here)}`, ...(of.random() < 0.5 && { video: true }) },
      operation: 'imagine',
    }),
  ],
  [2, () => ({ name: 'animate', options: { prompt: 'list' }, secret: true, operation: 'video list' })],
  [1, () => ({ name: 'help', options: {}, operation: 'help' })],
];

const SETTINGS = [
  ['language', 'de'],
  ['footer', 'on'],
  ['suggestions', 'on'],
  ['mentions', 'threads'],
  ['mentions', 'free'],
  ['denied', 'WHO'],
  ['allowed', 'WHO'],
  ['retentionDays', '2'],
  ['reasoning', 'off'],
  ['maxTokens', '256'],
  ['maxTokens', '2048'],
  ['bots', 'BOT'],
  ['voice', 'automatic'],
  ['model', 'model-b'],
] as const;

/** A random command. */
export function someCommand(of: Writer): Given {
  return chooseWeighted(of.random, MAKES)(of);
}

/** A random value of a list, with these weights. */
export function chooseWeighted<T>(random: Random, from: readonly (readonly [number, T])[]): T {
  let left = random() * from.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of from) {
    left -= weight;
    if (left < 0) return value;
  }
  throw new Error('there is nothing to choose');
}
