import * as z from 'zod/mini';
import { catch as otherwise } from 'zod/mini';
import type { Level } from './level.ts';

const name = z.string().check(z.minLength(1), z.maxLength(60));
const model = z.string().check(z.minLength(1), z.maxLength(150));
const list = (most: number) => z.readonly(z.array(name).check(z.maxLength(most)));
/** An id, and how many times the usual share it has. */
const weighted = z.string().check(z.regex(/^[\w-]{1,50}(?:\*\d(?:\.\d)?)?$/));
const yesNo = z.boolean();
/** A BCP 47 tag, as far as one can tell. */
const language = z.string().check(z.regex(/^(?:auto|[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)$/));

const SPACE: readonly Level[] = ['channel', 'workspace', 'deployment'];
const ALL: readonly Level[] = ['thread', 'channel', 'person', 'workspace', 'deployment'];

/**
 * Everything that can be set: its values, and the levels that have a say in it. Absent is: as the next level has it.
 * People and groups are named by their ids on the platform.
 */
export const SETTINGS = {
  /** The model that is asked. */
  model: { shape: model, levels: ALL },
  /** Models that are asked in its place while it is full, one after the other. */
  standIns: { shape: z.readonly(z.array(model).check(z.maxLength(5))), levels: ALL },
  /** A persona, saved by name; its text is the system prompt. */
  persona: { shape: name, levels: ALL },
  /** How much of a model's reasoning is shown: nothing, that it took place, the end of it too, or all of it as a file. */
  reasoning: { shape: z.enum(['off', 'brief', 'full', 'file']), levels: ALL },
  /** How long it may reason. */
  effort: { shape: z.enum(['none', 'minimal', 'low', 'medium', 'high']), levels: ALL },
  temperature: { shape: z.number().check(z.minimum(0), z.maximum(2)), levels: ALL },
  topP: { shape: z.number().check(z.minimum(0), z.maximum(1)), levels: ALL },
  frequencyPenalty: { shape: z.number().check(z.minimum(-2), z.maximum(2)), levels: ALL },
  presencePenalty: { shape: z.number().check(z.minimum(-2), z.maximum(2)), levels: ALL },
  /** The longest answer, in tokens, reasoning included. */
  maxTokens: { shape: z.int().check(z.minimum(16), z.maximum(131_072)), levels: ALL },
  /** In which the bot answers: `auto` is that of the question. */
  language: { shape: language, levels: ALL },
  /** Whether a line under the answer says which model gave it, and at what cost. */
  footer: { shape: yesNo, levels: ALL },
  /** Whether follow-up questions are suggested under an answer. */
  suggestions: { shape: yesNo, levels: ALL },
  /** `only`: every question names the bot. `threads`: not in threads that it takes part in. `free`: nowhere. `off`: it is silent. */
  mentions: { shape: z.enum(['only', 'threads', 'free', 'off']), levels: ['thread', ...SPACE] },
  /** Other bots that may ask. */
  bots: { shape: list(20), levels: SPACE },
  /** Who may use the bot: people, roles and groups. Empty is everybody. */
  allowed: { shape: list(100), levels: SPACE },
  /** Who may not, whatever else is allowed. */
  denied: { shape: list(100), levels: SPACE },
  /** Channels in which it may be used; empty is all. */
  channels: { shape: list(100), levels: ['workspace', 'deployment'] },
  /** People, roles and groups with more, or less, than the usual share of a busy key: `U1` has twice, `S7*3` three times. */
  favoured: {
    shape: z.readonly(z.array(weighted).check(z.maxLength(100))),
    levels: ['workspace', 'deployment'],
  },
  /** When voice messages are written out. */
  voice: { shape: z.enum(['off', 'request', 'automatic']), levels: SPACE },
  /** A person's own wish that theirs are not, unless they ask. */
  voiceOptOut: { shape: yesNo, levels: ['person'] },
  /** Into which they are translated as well; `auto` is that of who reads. */
  voiceLanguage: {
    shape: z.union([z.literal('none'), language]),
    levels: ['thread', 'channel', 'person', 'workspace', 'deployment'],
  },
  /** Whether long ones are summed up. */
  voiceSummary: { shape: yesNo, levels: ALL },
  /** Who may have videos made. */
  video: { shape: z.enum(['off', 'admins', 'all']), levels: SPACE },
  /** For how many days what was said is kept. */
  retentionDays: { shape: z.int().check(z.minimum(1), z.maximum(365)), levels: SPACE },
} as const satisfies Readonly<
  Record<string, { readonly shape: z.ZodMiniType; readonly levels: readonly Level[] }>
>;

export type SettingName = keyof typeof SETTINGS;

/** What one level sets. */
export type Values = { readonly [N in SettingName]?: z.infer<(typeof SETTINGS)[N]['shape']> | undefined };

export const isSetting = (text: string): text is SettingName => Object.hasOwn(SETTINGS, text);

const shapes: z.ZodMiniType<Values> = z.object(
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { shape }]) => [key, otherwise(z.optional(shape), undefined)]),
  ),
);

/** Reads what a level was stored with. What no longer is a value of its setting counts as not set. */
export function readLayer(stored: unknown): Values {
  return shapes.safeParse(stored).data ?? {};
}
