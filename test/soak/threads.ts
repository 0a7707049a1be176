import type { Item } from '../fakes/dynamo-parser.ts';
import { statusKey } from '../simulators/slack/state.ts';
import { type Asked, tokenOf, tokensIn } from './models.ts';
import type { PlannedThread } from './plan.ts';
import { channelOf, personOf, type SoakHarness } from './harness.ts';

type Question = { ts: string; edits: number; deletedAt: number | undefined; askedAt: number };
type Open = {
  readonly id: number;
  readonly plan: PlannedThread;
  readonly questions: Question[];
  /** The number of model requests for each version of each question. */
  readonly requests: Map<string, number>;
  /** The time of the last model request for each question (ms). */
  readonly requestedAt: Map<string, number>;
  /** Something was changed, so an answer may have been requested again. */
  isChanged: boolean;
};

/** When a thread counts as settled after its last question (ms), including edits and repeated answers. */
const SETTLED_AFTER_MS = 90_000;
const TS = /\d{10}\.\d{6}/gu;

/** The threads of a run, with their questions and checks. */
export class Threads {
  readonly #harness: SoakHarness;
  readonly #open = new Map<number, Open>();
  /** Checked threads: their items are deleted from the tables. */
  readonly #ended = new Set<string>();
  readonly wrong: string[] = [];
  readonly stats = {
    startedThreads: 0,
    questions: 0,
    edited: 0,
    deleted: 0,
    merged: 0,
    answered: 0,
    checked: 0,
  };

  constructor(harness: SoakHarness) {
    this.#harness = harness;
  }

  get open(): number {
    return this.#open.size;
  }

  begin(plan: PlannedThread): void {
    const id = (this.stats.startedThreads += 1);
    const { time } = this.#harness;
    const thread: Open = {
      id,
      plan,
      questions: [],
      requests: new Map(),
      requestedAt: new Map(),
      isChanged: false,
    };
    this.#open.set(id, thread);
    let at = time.now();
    for (const [nth, { afterMs, change }] of plan.questions.entries()) {
      at += afterMs;
      time.at(at, () => this.#ask(thread, nth));
      if (change) time.at(at + change.afterMs, () => this.#change(thread, nth, change.what));
    }
    time.at(at + SETTLED_AFTER_MS, () => this.#close(thread));
  }

  #ask({ id, plan, questions }: Open, nth: number): void {
    const { slack, time } = this.#harness;
    const root = questions[0]?.ts;
    const text = `@${slack.identity.botName} what about ${tokenOf(id, nth, 0)}?`;
    const where = { channel: channelOf(plan.channel), ...(root !== undefined && { thread: root }) };
    const ts = slack.say(personOf(plan.person), text, where);
    questions.push({ ts, edits: 0, deletedAt: undefined, askedAt: time.now() });
    this.stats.questions += 1;
  }

  #change(thread: Open, nth: number, what: 'edit' | 'delete'): void {
    const { id, plan, questions } = thread;
    const question = questions[nth];
    if (!question) return;
    const { slack, time } = this.#harness;
    const [person, channel] = [personOf(plan.person), channelOf(plan.channel)];
    thread.isChanged = true;
    if (what === 'delete') {
      question.deletedAt = time.now();
      this.stats.deleted += 1;
      return slack.remove(person, channel, question.ts);
    }
    question.edits += 1;
    this.stats.edited += 1;
    slack.edit(
      person,
      channel,
      question.ts,
      `@${slack.identity.botName} what about ${tokenOf(id, nth, question.edits)}?`,
    );
  }

  /** Checks a model request: the prompt must contain the history of its thread, and nothing else. */
  onRequest({ question, prompt }: Asked): void {
    const ids = new Set([...question, ...prompt].map((token) => Number(/^q(\d+)x/u.exec(token)?.[1])));
    const [id = 0] = ids;
    const thread = this.#open.get(id);
    if (ids.size !== 1 || !thread)
      return void this.wrong.push(`a prompt holds ${[...question, ...prompt].join()}`);
    for (const token of question) {
      thread.requests.set(token, (thread.requests.get(token) ?? 0) + 1);
      thread.requestedAt.set(token, this.#harness.time.now());
    }
    if (question.length > 1) this.stats.merged += question.length - 1;
    if (thread.isChanged) return;
    const first = Math.min(...question.map((token) => Number(token.split('x')[1])));
    for (let nth = 0; nth < first; nth += 1)
      if (!prompt.includes(tokenOf(id, nth, 0)))
        this.wrong.push(`thread ${id}: question ${first} without question ${nth}`);
  }

  #close(thread: Open): void {
    const { slack } = this.#harness;
    const { id, plan, questions } = thread;
    const channel = channelOf(plan.channel);
    const root = questions[0]?.ts ?? '';
    const messages = slack.state.messages.get(channel);
    const all = [...(messages?.values() ?? [])].filter((one) => one.thread === root || one.ts === root);
    const answers = all.filter(({ user }) => user === slack.identity.botUserId);
    this.#check(
      thread,
      answers.map(({ text }) => tokensIn(text)),
    );
    if (answers.some(({ stream }) => stream?.open === true)) this.wrong.push(`thread ${id}: left streaming`);
    if (slack.state.sessions.get(statusKey(channel, root))?.status === 'processing')
      this.wrong.push(`thread ${id}: left processing`);
    for (const { ts } of [...all, ...questions]) {
      messages?.delete(ts);
      this.#ended.add(ts);
    }
    slack.state.sessions.delete(statusKey(channel, root));
    slack.state.statuses.delete(statusKey(channel, root));
    this.#open.delete(id);
    this.stats.checked += 1;
  }

  /**
   * Checks that each remaining question is answered once in its current version, deleted ones are not, and no request
   * was repeated needlessly.
   */
  #check(thread: Open, texts: readonly (readonly string[])[]): void {
    const { id, questions, requests, requestedAt, isChanged } = thread;
    // A merged answer stays unchanged when one of its questions is deleted after it began: it still answers the
    // others.
    const mayStay = new Set(
      questions.flatMap(({ deletedAt = -Infinity }, nth) => {
        const token = tokenOf(id, nth, 0);
        return (requestedAt.get(token) ?? Infinity) <= deletedAt ? [token] : [];
      }),
    );
    const answers = texts.flatMap((tokens) =>
      tokens.filter((token) => !(mayStay.has(token) && tokens.length > 1)),
    );
    const should = questions.flatMap(({ deletedAt, edits }, nth) =>
      deletedAt === undefined ? [tokenOf(id, nth, edits)] : [],
    );
    this.stats.answered += should.length;
    const is = answers.toSorted().join();
    if (is !== should.toSorted().join())
      this.wrong.push(`thread ${id}: answered are ${is} of ${should.join()}`);
    if (isChanged) return;
    for (const [token, times] of requests)
      if (times !== 1) this.wrong.push(`${token} was asked for ${times} times`);
  }

  /** Deletes the items of checked threads, and expired items. */
  async prune(): Promise<void> {
    const { memory, time } = this.#harness;
    for (const table of ['conversations', 'tokens']) {
      for (const item of memory.items(table)) {
        if (!this.#isGone(item, time.now())) continue;
        const { pk, sk } = item;
        await memory.delete({ TableName: table, Key: { ...(pk && { pk }), ...(sk && { sk }) } });
      }
    }
    this.#ended.clear();
  }

  #isGone({ pk, sk, ttl }: Item, nowMs: number): boolean {
    if (Number(ttl?.N ?? Infinity) < nowMs / 1_000) return true;
    return (`${pk?.S} ${sk?.S ?? ''}`.match(TS) ?? []).some((ts) => this.#ended.has(ts));
  }
}
