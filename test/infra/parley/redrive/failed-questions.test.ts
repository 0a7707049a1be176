import { describe, expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  type TurnOutcome,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../../shared/storage/index.ts';
import { findFailedQuestions, MAX_QUESTIONS } from '../../../../infra/parley/redrive/failed-questions.ts';
import { logRecord, NOON } from '../../dashboard/data/records.ts';

const FAILED: TurnOutcome = {
  kind: 'failed',
  reason: 'server',
  text: 'sorry',
  failure: { status: 503 },
  timings: [NOON, 1, 2, 3, 4, 1],
};
const ANSWERED: TurnOutcome = { kind: 'answered', text: 'yes', finish: 'stop', model: 'edge' };

const turn = (message: string, outcome: TurnOutcome): FoundTurn => ({
  turn: {
    thread: {
      platform: 'slack',
      workspace: workspaceId('T1'),
      channel: channelId('C1'),
      root: messageId('1.0'),
    },
    message: messageId(message),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
  },
  content: { message: messageId(message), question: '?', outcome },
  unreadable: false,
  mergedInto: undefined,
  fence: 1,
});
const question = (message: string, trace: string) => [
  logRecord(0, 'slack.accepted', { channel: 'C1', root: '1.0', message }, trace),
  logRecord(9, 'answer.ended', { kind: 'failed', reason: 'server' }, trace),
];
const find = (
  turns: Readonly<Record<string, FoundTurn>>,
  records = [...question('2.0', 'b'), ...question('1.0', 'a')],
  onFind: (thread: unknown) => void = () => undefined,
) =>
  findFailedQuestions(
    { fromMs: NOON, untilMs: NOON + 1_000 },
    {
      readLogs: async ({ anyOf = [] }) => ({
        records: records.filter((record) =>
          anyOf.some(([name, value]) =>
            name === 'trace'
              ? record.trace === value
              : name === 'event'
                ? record.event === value
                : record.facts[name] === value,
          ),
        ),
        isComplete: true,
      }),
      findTurn: async (thread, message) => {
        onFind(thread);
        return turns[message];
      },
      slackTeam: async () => 'T1',
    },
  );

const key = async (outcome: TurnOutcome) =>
  (await find({ '1.0': turn('1.0', outcome) })).questions[0]?.task.key;

describe('failed questions', () => {
  test('are those of which people still see an error, with the task that answers them again', async () => {
    const { questions, unnamed } = await find({ '1.0': turn('1.0', FAILED), '2.0': turn('2.0', ANSWERED) });
    expect(unnamed).toBe(0);
    expect(questions).toHaveLength(1);
    expect(questions[0]?.letter).toMatchObject({
      id: '1.0',
      reason: 'server, 503',
      thread: 'slack#T1#C1#1.0',
      trace: 'a',
    });
    expect(questions[0]?.task).toMatchObject({
      kind: 'redo',
      message: '1.0',
      by: 'U1',
      change: { kind: 'regenerate' },
    });
  });

  test('have the same key until they are answered again, and another one if they fail again', async () => {
    expect(await key(FAILED)).toBe(await key({ ...FAILED }));
    expect(await key({ ...FAILED, timings: [NOON + 9, 1, 2, 3, 4, 1] })).not.toBe(await key(FAILED));
  });

  test('of Discord are named by the worker: its front logs no message', async () => {
    const place = { platform: 'discord', workspace: 'G1', channel: 'C2', root: 'cU1', message: '3.0' };
    const records = [
      logRecord(8, 'question.failed', { ...place, reason: 'server' }, 'c'),
      logRecord(9, 'answer.ended', { kind: 'failed', reason: 'server' }, 'c'),
    ];
    const places: unknown[] = [];
    const { questions, unnamed } = await find({ '3.0': turn('3.0', FAILED) }, records, (thread) =>
      places.push(thread),
    );
    expect(places).toEqual([{ platform: 'discord', workspace: 'G1', channel: 'C2', root: 'cU1' }]);
    expect([questions.map(({ letter }) => letter.id), unnamed]).toEqual([['3.0'], 0]);
  });

  test('of Slack are looked up in the workspace that the worker logged: the front may not name it', async () => {
    const place = { channel: 'C1', root: '1.0', message: '1.0' };
    const records = [
      ...question('1.0', 'a'),
      logRecord(9, 'question.failed', { ...place, platform: 'slack', workspace: 'T2' }, 'a'),
    ];
    const places: unknown[] = [];
    const { questions, unnamed } = await find({ '1.0': turn('1.0', FAILED) }, records, (thread) =>
      places.push(thread),
    );
    expect(places).toEqual([{ platform: 'slack', workspace: 'T2', channel: 'C1', root: '1.0' }]);
    expect([questions.length, unnamed]).toEqual([1, 0]);
  });

  test('of a Slack channel of two companies are looked up for the one that has the question', async () => {
    const place = { channel: 'C1', root: '1.0', message: '1.0' };
    const records = [
      logRecord(0, 'slack.accepted', { ...place, outcome: 'ignored', workspace: 'T2' }, 'a'),
      logRecord(1, 'slack.accepted', { ...place, outcome: 'queued', workspace: 'T1' }, 'a'),
      logRecord(9, 'answer.ended', { kind: 'failed', reason: 'server' }, 'a'),
    ];
    const places: unknown[] = [];
    const { questions, unnamed } = await find({ '1.0': turn('1.0', FAILED) }, records, (thread) =>
      places.push(thread),
    );
    expect(places).toEqual([expect.objectContaining({ workspace: 'T1' })]);
    expect([questions.length, unnamed]).toEqual([1, 0]);
  });

  test('are those that a worker gave up too; other tasks are none', async () => {
    const place = { platform: 'slack', workspace: 'T1', channel: 'C1', root: '1.0' };
    const records = [
      logRecord(8, 'task.dead-lettered', { ...place, kind: 'ask', message: '1.0' }, 'a'),
      logRecord(9, 'task.dead-lettered', { ...place, kind: 'erase', message: '2.0' }, 'b'),
    ];
    const { questions, unnamed } = await find({ '1.0': turn('1.0', FAILED) }, records);
    expect([questions.map(({ letter }) => letter.id), unnamed]).toEqual([['1.0'], 0]);
  });

  test.each(['greeting', 'no-words', 'over-budget'])('are not those that ended as %s', async (reason) => {
    const ended = { kind: 'failed', reason };
    const place = { channel: 'C1', root: '1.0', message: '1.0' };
    const records = [
      logRecord(0, 'slack.accepted', place, 'a'),
      logRecord(9, 'answer.ended', ended, 'a'),
      // The front of Discord does not log the message.
      logRecord(9, 'answer.ended', ended, 'b'),
    ];
    const none = { questions: [], unnamed: 0 };
    expect(await find({ '1.0': turn('1.0', { ...FAILED, reason }) }, records)).toMatchObject(none);
    // Answered again in place of the error, which the log still has.
    expect(await find({ '1.0': turn('1.0', { ...FAILED, reason }) })).toMatchObject({ questions: [] });
  });

  test('are the first of many, and the next ones when those are answered', async () => {
    const ids = Array.from({ length: 3 * MAX_QUESTIONS }, (_, index) => `${index}.0`);
    const turns = Object.fromEntries(ids.map((id) => [id, turn(id, FAILED)]));
    const records = ids.flatMap((id, index) => [
      logRecord(index, 'slack.accepted', { channel: 'C1', root: '1.0', message: id }, id),
      logRecord(index, 'answer.ended', { kind: 'failed', reason: 'server' }, id),
    ]);
    const listIds = async () => {
      const { questions, isCut } = await find(turns, records);
      for (const { letter } of questions) turns[letter.id] = turn(letter.id, ANSWERED);
      return { isCut, ids: questions.map(({ letter }) => letter.id) };
    };
    expect(await listIds()).toEqual({ isCut: true, ids: ids.slice(0, MAX_QUESTIONS) });
    expect(await listIds()).toEqual({ isCut: true, ids: ids.slice(MAX_QUESTIONS, 2 * MAX_QUESTIONS) });
    expect(await listIds()).toEqual({ isCut: false, ids: ids.slice(2 * MAX_QUESTIONS) });
    expect(await listIds()).toEqual({ isCut: false, ids: [] });
  });

  test('that are erased are counted, not listed', async () => {
    expect(await find({ '1.0': turn('1.0', FAILED) })).toMatchObject({ unnamed: 1 });
  });
});
