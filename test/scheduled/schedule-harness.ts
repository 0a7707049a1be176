import { type Interaction, parseTask } from '../../shared/domain/index.ts';
import type { HistoryMessage } from '../../shared/platforms/ports/index.ts';
import { Schedules } from '../../shared/storage/index.ts';
import { dispatchTask, requeueStuckTasks, type WorkerContext } from '../../shared/worker/index.ts';
import { fakePlatform } from '../chat/completion-harness.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { ADMIN, MEMBER } from '../commands/settings-harness.ts';
import { TestTime } from '../upstream/time.ts';

/** The clock begins at noon on Thursday, 1 January 2026. */
export const FRIDAY = Date.parse('2026-01-02T09:00:00Z');
export const MONDAY = Date.parse('2026-01-05T09:00:00Z');
export const DAY_MS = 86_400_000;

/** A workspace in which everybody may schedule, unless `policy` says otherwise. */
export async function scheduleHarness(more: Partial<WorkerContext> = {}, policy = 'all') {
  const time = new TestTime();
  time.advance(FRIDAY - DAY_MS + 3 * 3_600_000 - time.now());
  const history: HistoryMessage[] = [];
  const platform = {
    ...fakePlatform(),
    readHistory: async () => ({ messages: history, unreadThreads: 0, withoutText: 0 }),
  };
  const logged: string[] = [];
  const log = (event: string, facts?: object) => void logged.push(`${event} ${JSON.stringify(facts ?? {})}`);
  const base = commandHarness({ platform, log, ...more }, time);
  const { context, stage, queue, dynamo } = base;
  const schedules = new Schedules({ dynamo, table: 'conversations', now: time.now });
  let calls = 0;
  const say = async (payload: Interaction['payload'], by: Interaction['by'], also: Partial<Interaction>) => {
    calls += 1;
    await base.call(fakeInteraction(payload, { id: `call-${calls}`, by, receivedAt: time.now(), ...also }));
    return JSON.stringify(stage.answers.at(-1)?.card);
  };
  const type = (text: string, by: Interaction['by'] = MEMBER, also: Partial<Interaction> = {}) =>
    say(typedCommand(text), by, also);
  const list = () => schedules.list(fakeInteraction(typedCommand('')));
  /** Presses a button of the only schedule, or of this one. */
  const press = async (operation: string, by: Interaction['by'] = MEMBER, id?: string) => {
    const args = [id ?? (await list())[0]?.id ?? 'none'];
    return say({ kind: 'action', action: { name: `schedule.${operation}`, args }, chosen: [] }, by, {});
  };
  const sweep = () => {
    const due = { turns: context.turns, jobs: { listDue: () => Promise.resolve([]) } };
    const parts = { transcriptionQueue: queue, now: time.now, log: context.log };
    return requeueStuckTasks({ ...due, schedules, queue, ...parts });
  };
  const deliver = (body: string) =>
    dispatchTask(body, context, { deadline: time.now() + 60_000, isRedelivery: false, isLast: false });
  /** Runs what is in the queue, and returns the questions that were put into it. */
  const drain = async () => {
    for (const { body } of queue.sent.splice(0)) await deliver(body);
    return questions();
  };
  const questions = () =>
    queue.sent.flatMap(({ body }) => {
      const task = parseTask(body);
      return task?.kind === 'ask' ? [task] : [];
    });
  /** Sweeps at a moment, and runs the schedules that are due. */
  const runAt = async (ms: number) => {
    time.advance(ms - time.now());
    queue.sent.splice(0);
    await sweep();
    return drain();
  };
  const posts = () => [...stage.cards.values()].map((card) => JSON.stringify(card));
  const messages = () => stage.directMessages.map(({ card }) => JSON.stringify(card));
  if (policy !== 'off') await type(`settings schedules ${policy} for:workspace`, ADMIN);
  return {
    ...base,
    history,
    logged,
    schedules,
    type,
    press,
    list,
    sweep,
    drain,
    questions,
    runAt,
    posts,
    messages,
  };
}
