import { formatCount, formatDuration } from '../output/format.ts';
import { cleanText } from '../output/table.ts';

/** What a person saw: a message of the bot, or its status. Times are ms since 1970. */
export type Sighting = {
  readonly at: number;
  /** The last change. */
  readonly until: number;
  readonly kind: 'message' | 'status' | 'private message';
  readonly id: string;
  readonly text: string;
  /** How often it was changed after it appeared. */
  readonly changes: number;
  /** Where it is: the next question follows there. */
  readonly channel: string;
};

/** `answered`; `error shown`: people read why there is no answer; `silent`: nothing was shown; `lost`: nothing ended in time. */
export type QuestionOutcome = 'answered' | 'error shown' | 'silent' | 'lost';

export type RehearsedQuestion = {
  readonly platform: string;
  readonly where: string;
  readonly text: string;
  readonly askedAt: number;
  readonly outcome: QuestionOutcome;
  readonly sightings: readonly Sighting[];
};

/** Collects what appears, in the order of appearance. A message that changes is one sighting. */
export function createSightings(now: () => number) {
  let all = new Map<string, Sighting>();
  return {
    /** Adds a message or status; an empty text is nothing yet. */
    add(seen: Pick<Sighting, 'kind' | 'id' | 'text' | 'channel'>): void {
      if (seen.text.trim() === '') return;
      const known = all.get(seen.id);
      if (known?.text === seen.text) return;
      const at = known?.at ?? now();
      all.set(seen.id, { ...seen, at, until: now(), changes: known ? known.changes + 1 : 0 });
    },
    remove(id: string): void {
      all.delete(id);
    },
    /** Returns what appeared since the last call. */
    take(): readonly Sighting[] {
      const appeared = [...all.values()];
      all = new Map();
      return appeared;
    },
    list: (): readonly Sighting[] => [...all.values()],
  };
}

/** Judges a question by the state of its answer and what people saw. */
export function judgeOutcome(
  state: 'answered' | 'failed' | 'waiting' | undefined,
  sightings: readonly Sighting[],
): QuestionOutcome {
  if (state === undefined || state === 'waiting') return 'lost';
  if (!sightings.some(({ kind }) => kind !== 'status')) return 'silent';
  return state === 'answered' ? 'answered' : 'error shown';
}

/** Whether a question got neither an answer nor an error message. */
export const isBad = ({ outcome }: Pick<RehearsedQuestion, 'outcome'>): boolean =>
  outcome === 'silent' || outcome === 'lost';

const MAX_TEXT_LENGTH = 300;

/** Formats what people saw, with the time since each question. */
export function formatRehearsal(
  questions: readonly RehearsedQuestion[],
  width: number | undefined,
): string[] {
  return questions.flatMap((question) => [
    `${question.platform}, ${question.where}: ${question.text}`,
    ...question.sightings.map((sighting) => fit(formatSighting(sighting, question.askedAt), width)),
    `  -> ${question.outcome.toUpperCase()}`,
    '',
  ]);
}

function formatSighting({ at, until, kind, text, changes }: Sighting, askedAt: number): string {
  const grown =
    changes > 0
      ? ` (complete after ${formatDuration(until - askedAt)}, ${formatCount(changes, 'update')})`
      : '';
  const words = cleanText(text).slice(0, MAX_TEXT_LENGTH);
  return `  ${`+${formatDuration(at - askedAt)}`.padStart(9)}  ${kind === 'message' ? '' : `[${kind}] `}${words}${grown}`;
}

const fit = (line: string, width: number | undefined): string =>
  width !== undefined && line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line;

const SLUG = /[^a-z0-9]+/gu;
const toSlug = (title: string): string => title.toLowerCase().replaceAll(SLUG, '-').replaceAll(/^-|-$/gu, '');

/** Finds a fault of the panel by its name or title: `rate-limits` and `429-storm` are the same. */
export const findFault = <Fault extends { readonly name: string; readonly title: string }>(
  faults: readonly Fault[],
  wanted: string,
): Fault | undefined => faults.find(({ name, title }) => name === wanted || toSlug(title) === wanted);

/** Names of all faults, for an error message. */
export const listFaultNames = (
  faults: readonly { readonly name: string; readonly title: string }[],
): string =>
  faults.map(({ name, title }) => (toSlug(title) === name ? name : `${name} (${toSlug(title)})`)).join(', ');

/** Variables that say which real services there are. The rehearsal simulates them. */
const SERVICE = /^(?:SLACK_(?!COMMAND$)|DISCORD_(?!MESSAGES$|MOST_MESSAGES$|RELAY_TASKS$)|UPSTREAM_)/u;
const MODEL_LISTS = ['UPSTREAM_MODEL', 'OTHER_MODELS', 'STAND_IN_MODELS', 'FOLLOW_UP_MODEL'] as const;
type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the variables of the parameters of a deployment: `HistoryDays` is HISTORY_DAYS. */
export const toVariables = (parameters: Readonly<Record<string, string>>): Variables =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, '_').toUpperCase(),
      value === '' ? undefined : value,
    ]),
  );

/** Returns the settings without the real services, and the names of the configured models, the default first. */
export function toSimulated(variables: Variables): {
  readonly variables: Variables;
  readonly models: readonly string[];
} {
  const models = MODEL_LISTS.flatMap((name) =>
    (variables[name] ?? '').split(/[\s,]+/u).filter((id) => id !== ''),
  );
  return {
    variables: Object.fromEntries(Object.entries(variables).filter(([name]) => !SERVICE.test(name))),
    models: variables['UPSTREAM_MODEL'] ? [...new Set(models)] : [],
  };
}
