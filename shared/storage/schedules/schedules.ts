import * as v from 'valibot';
import {
  type ChannelId,
  channelId,
  PLATFORMS,
  type PlatformName,
  type UserId,
  userId,
  type WorkspaceId,
  workspaceId,
} from '../../domain/index.ts';
import { OPEN_INDEX } from '../../runtime/index.ts';
import { isTimeZone, type Recurrence, WEEKDAYS } from '../../schedules/rules/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, type Key, numberValue } from '../keys/item-keys.ts';

/**
 * A schedule in the `conversations` table.
 *
 *    pk        SCHEDULE# platform # workspace   sk       the id, unique in the workspace
 *    by        who set it up (person index)     body     the schedule as JSON
 *    open,due  `schedule`, and the next run (s) failures consecutive runs that could not be delivered
 *
 * A paused one has no `open`: it is never due.
 *
 * It does not expire. Erasing the person or the workspace removes it.
 */

/** The value of `open` for all schedules. */
const OPEN_SCHEDULES = 'schedule';

/** What a schedule does at its time. */
const content = v.variant('kind', [
  v.object({ kind: v.literal('weekly-summary') }),
  /** Asks the model, in the name of the person who set it up. */
  v.object({ kind: v.literal('prompt'), prompt: v.string() }),
  /** Sums up what was said in the channel. */
  v.object({ kind: v.literal('digest'), period: v.picklist(['yesterday', 'week']) }),
]);
export type ScheduleContent = v.InferOutput<typeof content>;

export type SchedulePlace = { readonly platform: PlatformName; readonly workspace: WorkspaceId };

export type Schedule = SchedulePlace & {
  /** Unique in the workspace; the same id again replaces the schedule. */
  readonly id: string;
  readonly content: ScheduleContent;
  /** Who set it up. */
  readonly by: UserId;
  /** Where it posts; absent for a direct message to `by`. */
  readonly channel: ChannelId | undefined;
  readonly recurrence: Recurrence;
  /** The locale of `by` (BCP 47), if the platform sent it. */
  readonly locale: string | undefined;
  /** The next run (ms since 1970, whole seconds). */
  readonly dueMs: number;
  /** Consecutive runs that could not be delivered. */
  readonly failures: number;
  /** It does not run until it is resumed. */
  readonly isPaused?: boolean | undefined;
};

const body = v.object({
  platform: v.picklist(PLATFORMS),
  workspace: v.pipe(v.string(), v.transform(workspaceId)),
  id: v.string(),
  content,
  channel: v.optional(v.pipe(v.string(), v.transform(channelId))),
  recurrence: v.object({
    weekdays: v.pipe(v.array(v.picklist(WEEKDAYS)), v.minLength(1)),
    minuteOfDay: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_439)),
    /** Another system may know time zones that this one does not: such a schedule is shown and can be deleted, but does not run. */
    zone: v.string(),
  }),
  locale: v.optional(v.string()),
  isPaused: v.optional(v.boolean()),
});
const item = v.object({
  by: v.object({ S: v.pipe(v.string(), v.transform(userId)) }),
  body: v.object({ S: v.string() }),
  due: v.object({ N: v.string() }),
  failures: v.optional(v.object({ N: v.string() })),
});

/** Parses a stored schedule. Throws if this version cannot read it. */
function readSchedule(stored: Item): Schedule {
  const { by, body: json, due, failures } = v.parse(item, stored);
  const { channel, locale, ...rest } = v.parse(body, JSON.parse(json.S));
  const dueMs = Number(due.N) * 1_000;
  return { ...rest, channel, locale, by: by.S, dueMs, failures: Number(failures?.N ?? 0) };
}

const schedulePartition = ({ platform, workspace }: SchedulePlace): string =>
  `SCHEDULE#${platform}#${workspace}`;
const scheduleKey = (place: SchedulePlace, id: string): Key => ({
  pk: { S: schedulePartition(place) },
  sk: { S: id },
});

/** Leaves out what is stored in other attributes. */
const toBody = (schedule: Schedule): string =>
  JSON.stringify({ ...schedule, by: undefined, dueMs: undefined, failures: undefined });

/** More schedules than a workspace has. */
const MAX_LISTED = 200;
/** Most pages of due schedules that are read at once. */
const MAX_DUE_PAGES = 20;

export type SchedulesConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

/** Everything that runs at set times, for all workspaces. Every write is one write of one item. */
export class Schedules {
  readonly #config: SchedulesConfig;

  constructor(config: SchedulesConfig) {
    this.#config = config;
  }

  /** Stores a schedule; one with the same id is replaced. */
  async save(schedule: Schedule): Promise<void> {
    const { by, dueMs, failures, isPaused } = schedule;
    const Item: Item = {
      ...scheduleKey(schedule, schedule.id),
      by: { S: by },
      body: { S: toBody(schedule) },
      ...(isPaused ? {} : { open: { S: OPEN_SCHEDULES } }),
      due: numberValue(dueMs / 1_000),
      failures: numberValue(failures),
    };
    await this.#config.dynamo.put({ TableName: this.#config.table, Item });
  }

  /** Returns a schedule (consistent read). Rejects if this version cannot read it. */
  async find(place: SchedulePlace, id: string): Promise<Schedule | undefined> {
    const { Item: stored } = await this.#config.dynamo.get({
      TableName: this.#config.table,
      Key: scheduleKey(place, id),
      ConsistentRead: true,
    });
    return stored && readSchedule(stored);
  }

  /** Lists the schedules of a workspace by id, at most 200. Leaves out those that this version cannot read. */
  async list(place: SchedulePlace): Promise<Schedule[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: schedulePartition(place) } },
      ConsistentRead: true,
      Limit: MAX_LISTED,
    });
    return Items.flatMap((stored) => readIfPossible(stored) ?? []);
  }

  /** Removes a schedule. Idempotent. */
  async remove(place: SchedulePlace, id: string): Promise<void> {
    await this.#config.dynamo.delete({ TableName: this.#config.table, Key: scheduleKey(place, id) });
  }

  /**
   * Returns the due schedules, the longest due first, at most `limit`. Calls `onUnreadable` for each that this version cannot
   * read, or whose time zone this system does not know: it takes no place of the limit, because after a rollback hundreds of them would hold up all others.
   */
  async listDue(limit: number, onUnreadable: (id: string) => void = () => undefined): Promise<Schedule[]> {
    const due: Schedule[] = [];
    let start: Item | undefined;
    for (let page = 0; page < MAX_DUE_PAGES && due.length < limit; page += 1) {
      const { items, next } = await this.#duePage(limit, start);
      for (const stored of items) {
        const schedule = readIfPossible(stored);
        if (!schedule || !isTimeZone(schedule.recurrence.zone)) onUnreadable(stored['sk']?.S ?? '');
        else if (schedule.dueMs <= this.#config.now()) due.push(schedule);
      }
      if (!next) break;
      start = next;
    }
    return due.slice(0, limit);
  }

  /** Reads a page of the index, and its items consistently: the index may lag behind them. */
  async #duePage(limit: number, start: Item | undefined) {
    const { dynamo, table: TableName, now } = this.#config;
    const { Items = [], LastEvaluatedKey: next } = await dynamo.query({
      TableName,
      IndexName: OPEN_INDEX.name,
      KeyConditionExpression: '#open = :open AND due <= :now',
      ExpressionAttributeNames: { '#open': OPEN_INDEX.partition },
      ExpressionAttributeValues: { ':open': { S: OPEN_SCHEDULES }, ':now': numberValue(now() / 1_000) },
      Limit: limit,
      ...(start && { ExclusiveStartKey: start }),
    });
    const keys = Items.flatMap(({ pk, sk }) =>
      pk?.S && sk?.S ? [{ pk: { S: pk.S }, sk: { S: sk.S } }] : [],
    );
    const items = await Promise.all(
      keys.map(async (Key) => (await dynamo.get({ TableName, Key, ConsistentRead: true })).Item),
    );
    return { items: items.filter((one) => one !== undefined), next };
  }

  /**
   * Ends the run that was due, and sets the next one. Resolves with false if it was ended before, or the schedule was changed
   * or removed since it was read.
   */
  advance({ dueMs, ...schedule }: Schedule, next: Pick<Schedule, 'dueMs' | 'failures'>): Promise<boolean> {
    return isConditionMet(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: scheduleKey(schedule, schedule.id),
        UpdateExpression: 'SET due = :next, failures = :failures',
        ConditionExpression: 'due = :due',
        ExpressionAttributeValues: {
          ':due': numberValue(dueMs / 1_000),
          ':next': numberValue(next.dueMs / 1_000),
          ':failures': numberValue(next.failures),
        },
      }),
    );
  }

  /**
   * Pauses or resumes a schedule, and sets its next run. Resolves with false if it was changed or removed since it was read:
   * a removed one does not come back. One that is resumed has no failures.
   */
  reschedule(
    schedule: Schedule,
    next: Pick<Schedule, 'dueMs'> & { readonly isPaused: boolean },
  ): Promise<boolean> {
    const isResumed = schedule.isPaused === true && !next.isPaused;
    const open = next.isPaused ? 'REMOVE #open' : ', #open = :open';
    return isConditionMet(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: scheduleKey(schedule, schedule.id),
        UpdateExpression: `SET #body = :body, due = :next ${isResumed ? ', failures = :none' : ''} ${open}`,
        ConditionExpression: 'due = :due',
        ExpressionAttributeNames: { '#body': 'body', '#open': OPEN_INDEX.partition },
        ExpressionAttributeValues: {
          ':due': numberValue(schedule.dueMs / 1_000),
          ':body': { S: toBody({ ...schedule, ...next }) },
          ':next': numberValue(next.dueMs / 1_000),
          ...(next.isPaused ? {} : { ':open': { S: OPEN_SCHEDULES } }),
          ...(isResumed && { ':none': numberValue(0) }),
        },
      }),
    );
  }
}

function readIfPossible(stored: Item): Schedule | undefined {
  try {
    return readSchedule(stored);
  } catch {
    return undefined;
  }
}
