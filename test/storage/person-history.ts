import {
  channelId,
  messageId,
  NO_GUILD,
  type PlatformName,
  type Thread,
  threadKey,
  type TurnRef,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import {
  type Dynamo,
  FormDrafts,
  Jobs,
  Ledger,
  TurnSignals,
  Ratings,
  UserLocales,
  ProposedCalls,
  Recordings,
  Presets,
  Schedules,
  SettingsStore,
  ToolCredentials,
  ToolLog,
  Turns,
} from '../../shared/storage/index.ts';
import { compressJson } from '../../shared/storage/dynamodb/turn-compression.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';
import { plainEncryptor } from '../fakes/plain-encryptor.ts';
import { getAccountName } from '../../shared/billing/budgets/index.ts';

export const NOW = 1_790_000_000_000;
export const PEOPLE = ['41', '42', '43'].map(userId);
const PLACES: readonly (readonly [PlatformName, string])[] = [
  ['slack', 'T1'],
  ['slack', 'T12'],
  ['discord', '21'],
  ['discord', NO_GUILD],
];

/** Numbers from 0 up to, and without, `below`; the same for the same seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Actions of people in several workspaces, written with the real stores. */
export async function makeHistory(
  dynamo: Dynamo,
  steps: number,
  random: (below: number) => number,
): Promise<void> {
  const store = { dynamo, table: 'conversations', days: 30, now: () => NOW };
  const [turns, marks, ratings] = [new Turns(store), new TurnSignals(store), new Ratings(store)];
  const [recordings, jobs, ledger] = [new Recordings(store), new Jobs(store), new Ledger(store)];
  const [settings, saved, drafts, readers] = [
    new SettingsStore(store),
    new Presets(store),
    new FormDrafts(store),
    new UserLocales(store),
  ];
  const pick = <T>(of: readonly T[]): T => {
    const one = of[random(of.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  const questions: TurnRef[] = [];
  let second = NOW / 1_000 - 100_000;
  const commit = async (turn: TurnRef, mergedQuestions: readonly TurnRef[] = []) => {
    const claim = await turns.claim(turn, 60_000, true);
    if (claim.kind !== 'held' || claim.ended) return;
    const words = {
      question: `Asked by ${turn.asker}`,
      outcome: { kind: 'failed', reason: 'none', text: '' },
    } as const;
    const others = mergedQuestions.map(({ message, asker }) => ({ message, question: `Along by ${asker}` }));
    const whole = { ...words, message: turn.message, ...(others.length > 0 && { mergedQuestions: others }) };
    await turns.commit(turn, claim.fence, whole, { from: 'TURN#', number: 1 });
    for (const one of mergedQuestions) await marks.markMerged(one, turn.message);
  };
  for (let step = 0; step < steps; step += 1) {
    const [platform, workspace] = pick(PLACES);
    const user = pick(PEOPLE);
    const of = { platform, workspace: workspaceId(workspace) };
    const root = messageId(`${NOW / 1_000 - 200_000 + random(3)}.000100`);
    const thread: Thread = { ...of, channel: channelId(`C${random(2)}`), root };
    const place = { ...of, user, channel: thread.channel, thread };
    second += 1;
    const turn = {
      thread,
      message: messageId(`${second}.000100`),
      asker: user,
      askerWorkspace: of.workspace,
    };
    const along = { ...turn, message: messageId(`${second}.000200`), asker: pick(PEOPLE) };
    const level = pick(['workspace', 'channel', 'person', 'thread'] as const);
    const acts: readonly (() => Promise<unknown>)[] = [
      () => turns.accept(turn, `Asked by ${user}`, []).then(() => questions.push(turn)),
      () =>
        turns.accept(turn, `Asked by ${user}`, []).then(() => commit(turn).then(() => questions.push(turn))),
      async () => {
        await turns.accept(turn, 'first', []);
        await turns.accept(along, `Along by ${along.asker}`, []);
        await commit(turn, [along]);
        questions.push(turn);
      },
      async () => {
        await turns.accept(turn, 'Called', []);
        const claim = await turns.claim(turn, 60_000, true);
        if (claim.kind !== 'held' || claim.ended) return;
        const contextLines = [user, pick(PEOPLE), pick(PEOPLE)].map((by) => ({
          by,
          author: `Name of ${by}`,
          text: `Said by ${by}`,
          at: NOW,
        }));
        const outcome = { kind: 'failed', reason: 'none', text: '' } as const;
        const whole = { message: turn.message, question: `Asked by ${user}`, contextLines, outcome };
        await turns.commit(turn, claim.fence, whole, { from: 'TURN#', number: 1 });
      },
      async () => {
        // A summary of what two people wrote in a thread, for its requester.
        const id = `s${step}`;
        const people = [pick(PEOPLE), pick(PEOPLE)];
        await drafts.addSources(place, id, { threads: [thread], people });
        const value = `Said by ${people.join(' and ')}`;
        for (const one of [id, `${id}.part`])
          await drafts.create(place, { id: one, by: user, name: '#summary', frame: '""', value });
      },
      async () => {
        // As an earlier version stored it.
        await turns.accept(turn, 'Called', []);
        const body = compressJson({
          question: `Asked by ${user}`,
          before: `Name: Said by ${pick(PEOPLE)}`,
          outcome: { kind: 'failed', reason: 'none', text: '' },
        });
        await dynamo.update({
          TableName: 'conversations',
          Key: { pk: { S: threadKey(thread) }, sk: { S: `TURN#${turn.message.padStart(20, '0')}` } },
          UpdateExpression: 'SET body = :body',
          ExpressionAttributeValues: { ':body': { B: body } },
        });
      },
      async () => questions.length > 0 && ratings.rate(pick(questions), user, random(2) === 0),
      async () => {
        const ref = { thread, message: turn.message, file: 'F1' };
        await recordings.begin(ref, user, of.workspace);
        await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9, text: `Heard ${user}`, words: [] });
        const source = { id: 'F1', name: 'a.ogg', mimetype: 'audio/ogg', bytes: 1 };
        if (random(2) === 0)
          await recordings.finish(ref, { by: user, ms: 9, chunkCount: 1, card: messageId('9.9'), source });
      },
      () =>
        jobs.create(`wish-${step}`, {
          state: 'proposed',
          by: { ...of, user },
          thread,
          requestMessage: turn.message,
          picture: { id: 'f', name: 'sea.png', mimetype: 'image/png', bytes: 1 },
          prompt: `Made by ${user}`,
          model: 'model-v',
          key: 'key',
        }),
      () =>
        settings.change(place, level, {
          change: { kind: 'value', level, setting: 'temperature', value: step },
          edit: (layer) => ({ ...layer, values: { temperature: step } }),
          by: user,
        }),
      async () => {
        const name = `p${random(4)}`;
        const before = await saved.read({ ...of, user }, 'persona', name);
        await saved.save({ ...of, user }, 'persona', { name, text: `Saved by ${user}`, by: user }, before);
      },
      () =>
        drafts.create({ ...of, user }, { id: `d${step}`, by: user, name: 'form', frame: '{}', value: '{}' }),
      async () => platform === 'discord' && readers.save(user, 'de'),
      () =>
        ledger.book(
          {
            partition: `ACCOUNT#${platform}#${workspace}`,
            account: getAccountName(
              'person',
              { person: user, channel: 'C1' },
              'day',
              NOW - random(300) * 86_400_000,
              'UTC',
            ),
          },
          { id: `b${step}`, model: 'm', prompt: 1, cached: 0, completion: 1, atto: 1n, priced: true },
        ),
      ...toolActs({ dynamo, thread, user, step }),
    ];
    await pick(acts)();
  }
}

/** A call on a card, the log of a call, a sign-in at a server, and a schedule. */
function toolActs({
  dynamo,
  thread,
  user,
  step,
}: {
  readonly dynamo: Dynamo;
  readonly thread: Thread;
  readonly user: ReturnType<typeof userId>;
  readonly step: number;
}): readonly (() => Promise<unknown>)[] {
  const store = { dynamo, table: 'conversations', now: () => NOW, encryptor: plainEncryptor };
  const call = { thread, by: user, server: 'jira', tool: 'create', args: { title: `Said by ${user}` } };
  const logged = {
    tool: 'create',
    source: 'jira',
    ms: 1,
    outcome: 'done',
    at: NOW + step,
    by: user,
  } as const;
  const monday = { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' } as const;
  const schedule = { id: `schedule-${step}`, by: user, channel: thread.channel, recurrence: monday };
  const due = { locale: undefined, dueMs: NOW, failures: 0 };
  return [
    () => new ProposedCalls(store).create(`request ${step}`, call),
    () => new ToolLog(store).add(thread, logged),
    () => new ToolCredentials(store).save(thread, `server-${step}`, { token: 't' }, user),
    () =>
      new Schedules(store).save({
        ...thread,
        ...schedule,
        ...due,
        content: { kind: 'prompt', prompt: `Said by ${user}` },
      }),
  ];
}

/** Another table with the same items, or some of them. */
export async function copyOf(
  dynamo: MemoryDynamo,
  keep: (sk: string) => boolean = () => true,
): Promise<MemoryDynamo> {
  const copy = createMemoryDynamo();
  for (const Item of dynamo.items('conversations'))
    if (keep(Item['sk']?.S ?? '')) await copy.put({ TableName: 'conversations', Item });
  return copy;
}
