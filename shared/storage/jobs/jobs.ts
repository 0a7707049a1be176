import type { MessageId, Thread, Turn } from '../../domain/index.ts';
import { threadKey } from '../../domain/index.ts';
import {
  isTerminal,
  type Job,
  type JobId,
  canTransition,
  type JobRequester,
} from '../../video/jobs/index.ts';
import { OPEN_INDEX } from '../../runtime/shared-names.ts';
import { ConditionFailed } from '../dynamodb/dynamo.ts';
import {
  jobIdOf,
  jobItem,
  OPEN_JOBS,
  personKey,
  pointerKey,
  POINTERS,
  readJob,
  readPointer,
} from './job-item.ts';
import { jobKey } from './job-key.ts';
import { pack } from '../dynamodb/turn-compression.ts';
import { type Item, type Key, keyOf } from '../turns/turn-item.ts';
import type { TurnPosition } from '../turns/turns.ts';
import { numeral, type TurnsConfig } from '../turns/turn-table.ts';

export { jobIdOf, secretHashOf } from './job-item.ts';

/** What is asked for: all of a job but what the store adds. */
export type NewJob = Omit<Job, 'id' | 'version' | 'createdAt'>;

/** How many pages of a partition are read for a list. A page holds about 600 jobs. */
const PAGES = 4;

/** The jobs of all people, in the `conversations` table. Every write is one conditional write of one item. */
export class Jobs {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    this.#config = config;
  }

  /**
   * Writes a job down, once for each `wish` of a person: asked for again, the one that is there is given back with
   * `isNew` false, whatever became of it since. The thread is told first, so that forgetting it finds every job.
   */
  async create(wish: string, asked: NewJob): Promise<{ readonly job: Job; readonly isNew: boolean }> {
    const id = jobIdOf(asked.by, wish);
    const known = await this.find(id);
    if (known) return { job: known, isNew: false };
    const job: Job = { ...asked, id, version: 1, createdAt: this.#config.now() };
    // With the person, so that forgetting them wherever they were finds it.
    const by = { S: job.by.user };
    const ws = { S: job.by.workspace };
    await this.#put({ ...pointerKey(job), by, ws, ttl: numeral(this.#expiry()) });
    try {
      await this.#put(jobItem(job, this.#expiry()), 'attribute_not_exists(pk)');
      return { job, isNew: true };
    } catch (error) {
      const there = error instanceof ConditionFailed ? await this.find(id) : undefined;
      if (!there) throw error;
      // The write may have been tried twice, and have found its own first try.
      return { job: there, isNew: there.key === job.key };
    }
  }

  /** The job that came of this wish of a person, if one did. */
  wished(by: JobRequester, wish: string): Promise<Job | undefined> {
    return this.find(jobIdOf(by, wish));
  }

  /** A job as it stands. */
  async find(id: JobId): Promise<Job | undefined> {
    return this.#get(jobKey(id), true);
  }

  /** The same for half the price; may be a second old. */
  async glance(id: JobId): Promise<Job | undefined> {
    return this.#get(jobKey(id), false);
  }

  /**
   * Changes a job, if it still is as it was in `before`. Rejects with ConditionFailed when someone else changed it, and
   * with an error when the change is no legal move. Resolves with the job as stored.
   */
  async save(before: Job, change: Partial<Omit<Job, 'id' | 'version'>>): Promise<Job> {
    const to = change.state ?? before.state;
    if (to !== before.state && !canTransition(before.state, to)) {
      throw new Error(`a job that is ${before.state} cannot become ${to}`);
    }
    // Only what is over already may be looked at once more.
    const due = to === before.state ? change.due : undefined;
    const over = isTerminal(to) ? { due, secretHash: undefined } : {};
    const after: Job = { ...before, ...change, ...over, version: before.version + 1 };
    try {
      await this.#put(jobItem(after, this.#expiry()), 'v = :v', { ':v': numeral(before.version) });
      return after;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const there = await this.find(before.id);
      // The write may have been tried twice, and have found its own first try.
      if (there && JSON.stringify(there) === JSON.stringify(readJob(jobItem(after, 0)))) return after;
      throw error;
    }
  }

  /** A person's jobs, the newest first, at most `most`. */
  async of(person: JobRequester, most: number): Promise<Job[]> {
    const items = await this.#partition(personKey(person), 'JOB#', 'JOB#~');
    const jobs = items.map(readJob).toSorted((a, b) => b.createdAt - a.createdAt);
    return jobs.slice(0, most);
  }

  /** All jobs of a thread, in no order. */
  async inThread(thread: Thread): Promise<Job[]> {
    const items = await this.#partition({ S: threadKey(thread) }, POINTERS.first, POINTERS.last);
    const ids = items.map(readPointer).filter((id) => id !== undefined);
    const found = await Promise.all(ids.map((id) => this.find(id)));
    return found.filter((job) => job !== undefined);
  }

  /**
   * The jobs that are to be looked at by now, the longest due first, at most `most`. `unreadable` is told of each that cannot be read:
   * it must not hide the others.
   */
  async due(most: number, unreadable: (id: string) => void = () => undefined): Promise<Job[]> {
    const { Items = [] } = await this.#config.dynamo.query({
      TableName: this.#config.table,
      IndexName: OPEN_INDEX.name,
      KeyConditionExpression: '#open = :why AND due <= :now',
      ExpressionAttributeNames: { '#open': OPEN_INDEX.partition },
      ExpressionAttributeValues: { ':why': { S: OPEN_JOBS }, ':now': numeral(this.#config.now() / 1000) },
      Limit: most,
    });
    const keys = Items.flatMap(({ pk, sk }) =>
      pk?.S && sk?.S ? [{ pk: { S: pk.S }, sk: { S: sk.S } }] : [],
    );
    const items = await Promise.all(keys.map((key) => this.#item(key, false)));
    const now = this.#config.now();
    const jobs = items.flatMap((item) => {
      try {
        return item ? [readJob(item)] : [];
      } catch {
        unreadable(item?.['pk']?.S ?? '');
        return [];
      }
    });
    return jobs.filter(({ due = Infinity }) => due <= now);
  }

  /** Takes a job out, and out of its thread. Safe to repeat. */
  async remove(job: Job): Promise<void> {
    for (const Key of [jobKey(job.id), pointerKey(job)]) {
      await this.#config.dynamo.delete({ TableName: this.#config.table, Key });
    }
  }

  /** Makes a video part of its thread's history: one write, and none if this message is a turn already. */
  async record(
    job: Job,
    message: MessageId,
    turn: Omit<Turn, 'message'>,
    place: TurnPosition & { readonly days?: number | undefined },
  ): Promise<void> {
    const item: Item = {
      ...keyOf(job.thread, message),
      id: { S: message },
      by: { S: job.by.user },
      ws: { S: job.by.workspace },
      body: { B: pack(turn) },
      from: { S: place.from },
      n: numeral(place.number),
      ttl: numeral(this.#expiry(place.days)),
    };
    await this.#put(item, 'attribute_not_exists(pk)').catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error;
    });
  }

  #expiry(days = this.#config.days): number {
    return this.#config.now() / 1000 + days * 24 * 3600;
  }

  async #put(item: Item, condition?: string, values?: Item): Promise<void> {
    await this.#config.dynamo.put({
      TableName: this.#config.table,
      Item: item,
      ...(condition && { ConditionExpression: condition }),
      ...(values && { ExpressionAttributeValues: values }),
    });
  }

  async #get(key: Key, consistent: boolean): Promise<Job | undefined> {
    const item = await this.#item(key, consistent);
    return item && readJob(item);
  }

  async #item(key: Key, consistent: boolean): Promise<Item | undefined> {
    const { Item: item } = await this.#config.dynamo.get({
      TableName: this.#config.table,
      Key: key,
      ConsistentRead: consistent,
    });
    return item && this.#alive(item) ? item : undefined;
  }

  async #partition(pk: Key['pk'], first: string, last: string): Promise<Item[]> {
    const found: Item[] = [];
    let start: Item | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const { Items = [], LastEvaluatedKey } = await this.#config.dynamo.query({
        TableName: this.#config.table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': pk, ':first': { S: first }, ':last': { S: last } },
        ...(start && { ExclusiveStartKey: start }),
      });
      found.push(...Items.filter((item) => this.#alive(item)));
      start = LastEvaluatedKey;
      if (!start) break;
    }
    return found;
  }

  #alive({ ttl }: Item): boolean {
    return Number(ttl?.N ?? 0) > this.#config.now() / 1000;
  }
}
