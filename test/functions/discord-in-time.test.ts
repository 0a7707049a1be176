import * as fc from 'fast-check';
import { expect, test } from '@jest/globals';
import {
  createDiscordFront,
  createDiscordFrontDeps,
} from '../../functions/composition/discord/discord-front.ts';
import { type AwsCall, AwsError, type AwsOperation } from '../../shared/aws/aws-request.ts';
import { readString } from '../../shared/platforms/discord/api/json-path.ts';
import { readDiscordFrontConfig } from '../../shared/runtime/config/front-config.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';
import { ask, idNow, interaction, NOW_S } from './discord.ts';

const keys = applicationKeys();
const config = readDiscordFrontConfig({
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  CONVERSATIONS_TABLE: 'conversations',
  TASK_QUEUE_URL: 'http://127.0.0.1:9/1/tasks.fifo',
  DISCORD_PUBLIC_KEY: keys.publicKey,
});

/**
 * The duration (ms) and outcome of a request to AWS. Its effect happens after half of the duration, even if nobody
 * waits for it.
 */
type Fate = { readonly ms: number; readonly ends: 'well' | 'silent' | 'busy' | 'refused' };
type Fates = { readonly table: Fate; readonly queue: Fate; readonly mark: Fate; readonly read: Fate };

/** A front with a slow table and queue, in simulated time, until no event is left. */
async function answered(call: object, way: number, fates: Fates) {
  const clock = new SimulatedTime(NOW_S * 1_000 + way);
  const done: AwsOperation[] = [];
  const sent: AwsOperation[] = [];
  const after = (ms: number): AbortSignal => {
    const ended = new AbortController();
    clock.at(clock.now + ms, () => ended.abort());
    return ended.signal;
  };
  const aws: AwsCall = (operation) =>
    new Promise((resolve, reject) => {
      sent.push(operation);
      const { ms, ends } = fates[kindOf(operation)];
      const fail = (status: number, code: string) => reject(new AwsError(operation.target, status, code));
      (operation.signal ?? after(900)).addEventListener('abort', () => fail(0, 'Timeout'));
      if (ends !== 'refused') clock.at(clock.now + ms / 2, () => done.push(operation));
      clock.at(clock.now + ms, () => {
        if (ends === 'well') resolve({});
        if (ends === 'busy') fail(503, 'ServiceUnavailable');
        if (ends === 'refused') fail(400, 'AccessDenied');
      });
    });
  const logged: unknown[] = [];
  const log = { error: (event: string, facts?: object) => void logged.push({ event, ...facts }) };
  const front = createDiscordFront({ ...createDiscordFrontDeps(config, () => clock.now, aws, after), log });
  const body = JSON.stringify(call);
  const answer = front({ headers: keys.headers(body, NOW_S), body }).then((response) => ({
    at: clock.now - NOW_S * 1_000,
    body: JSON.parse(response.body) as unknown,
  }));
  await clock.run(() => false);
  const came = await answer;
  const was = (kind: keyof Fates) => (one: AwsOperation) => kindOf(one) === kind;
  return {
    at: came.at,
    words: readString(came.body, 'data', 'content') ?? 'deferred',
    queued: done.some(was('queue')),
    toldQueue: sent.some(was('queue')),
    takenBack: done.some(was('mark')),
    logged,
  };
}

function kindOf({ target, input }: AwsOperation): keyof Fates {
  if (target.startsWith('AmazonSQS')) return 'queue';
  if (target.endsWith('GetItem')) return 'read';
  return target.endsWith('UpdateItem') && input.includes('deleted') ? 'mark' : 'table';
}

const BUSY = 'Das konnte ich gerade nicht annehmen. Versuch es gleich noch einmal.';
const UNSURE = 'Ich weiß nicht, ob das angekommen ist. Kommt in einer Minute nichts, versuch es noch einmal.';
const CALLS = {
  question: ask({ question: 'why?', model: 'maker/new' }),
  command: interaction({ type: 2, data: { type: 1, name: 'help' } }),
  press: interaction({
    type: 3,
    message: { id: '91' },
    data: { custom_id: 'press.regenerate|c41|90', component_type: 2 },
  }),
};
const fate: fc.Arbitrary<Fate> = fc.record({
  ms: fc.integer({ min: 1, max: 6_000 }),
  ends: fc.constantFrom('well', 'well', 'well', 'silent', 'busy', 'refused'),
});
const well = (ms: number): Fate => ({ ms, ends: 'well' });

test('the response comes within three seconds and is correct, however slow the table and queue are', async () => {
  const fates = fc.record({ table: fate, queue: fate, mark: fate, read: fate });
  const kinds = fc.constantFrom('question', 'command', 'press');
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 0, max: 1_650 }), fates, async (kind, way, slow) => {
      const came = await answered(CALLS[kind], way, slow);
      expect(came.at).toBeLessThan(2_800);
      const { words, queued, toldQueue, takenBack } = came;
      // A person who is told to retry now gets no answer later.
      const mayBe = { deferred: queued, [BUSY]: !queued || takenBack, [UNSURE]: toldQueue };
      expect(mayBe).toMatchObject({ [words]: true });
    }),
    { numRuns: Number(process.env['PARLEY_RUNS'] ?? 300) },
  );
});

test.each<[string, Partial<Fates>, string]>([
  ['each request takes half a second', {}, 'deferred'],
  ['the queue hangs, and the record is withdrawn', { queue: { ms: 1, ends: 'silent' } }, BUSY],
  ['the table hangs', { table: { ms: 1, ends: 'silent' } }, BUSY],
  ['both hang', { queue: { ms: 1, ends: 'silent' }, mark: { ms: 1, ends: 'silent' } }, UNSURE],
  [
    'the queue fails, and the record cannot be withdrawn',
    { queue: { ms: 1, ends: 'refused' }, mark: well(5_000) },
    BUSY,
  ],
])('the response to a question is within three seconds when %s', async (_, slow, words) => {
  const rest = { table: well(500), queue: well(500), mark: well(50), read: well(500) };
  expect(await answered({ ...CALLS.question, id: idNow(1) }, 0, { ...rest, ...slow })).toMatchObject({
    words,
  });
});

test('an interaction that is not accepted is logged with the code of AWS', async () => {
  const rest = {
    table: well(50),
    queue: { ms: 50, ends: 'refused' },
    mark: well(50),
    read: well(50),
  } as const;
  const { words, logged } = await answered({ ...CALLS.question, id: idNow(1) }, 0, rest);
  expect(words).toBe(BUSY);
  expect(logged).toEqual([{ event: 'interaction.failed', error: 'AccessDenied' }]);
});
