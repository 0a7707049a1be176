import { describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import {
  channelId,
  messageId,
  type TurnOutcome,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../../shared/storage/index.ts';
import type { LogQuery } from '../../../../infra/parley/operator/cloudwatch-logs.ts';
import { parseMessageReference } from '../../../../infra/parley/operator/message-reference.ts';
import { formatTrace } from '../../../../infra/parley/trace/format-trace.ts';
import { createDeploymentLogs } from '../../../../infra/parley/operator/read-logs.ts';
import { listen } from '../../../../infra/local/listen.ts';
import { createCallRecorder, createLogger } from '../../../../shared/runtime/index.ts';
import { traceMessage, type TraceSources } from '../../../../infra/parley/trace/trace-message.ts';
import { fakeCloudWatchLogs } from '../fake-cloudwatch-logs.ts';
import { logRecord, NOON } from '../../dashboard/data/records.ts';

const MESSAGE = `${NOON / 1000}.000100`;
const PLACE = { channel: 'C1', message: MESSAGE, root: MESSAGE };
const RECORDS = [
  logRecord(0, 'slack.accepted', { kind: 'message', ...PLACE }, 'a'),
  logRecord(100, 'upstream.failed', { reason: 'server', status: 503 }, 'a'),
  logRecord(
    900,
    'answer.ended',
    { kind: 'answered', model: 'edge', requests: 2, AnswerTime: 890, Dollars: 0.25, requestId: 'req_1' },
    'a',
  ),
  logRecord(950, 'answer.ended', { kind: 'answered' }, 'other'),
];
const ENDING: TurnOutcome = {
  kind: 'answered',
  text: 'a secret answer',
  finish: 'stop',
  model: 'edge',
  requestId: 'req_1',
  usage: { promptTokens: 12, completionTokens: 3, cachedTokens: 4, reasoningTokens: 0 },
  timings: [NOON, 20, 30, 400, 890, 2],
};
const TURN: FoundTurn = {
  turn: {
    thread: {
      platform: 'slack',
      workspace: workspaceId('T1'),
      channel: channelId('C1'),
      root: messageId(MESSAGE),
    },
    message: messageId(MESSAGE),
    asker: userId('U1'),
    askerWorkspace: workspaceId('T1'),
  },
  content: { message: messageId(MESSAGE), question: 'a secret question', outcome: ENDING },
  unreadable: false,
  mergedInto: undefined,
  fence: 2,
};

const link = (message: string, root?: string) =>
  `https://acme.slack.com/archives/C1/p${message.replace('.', '')}${root === undefined ? '' : `?thread_ts=${root}`}`;

/** Sources with these records and turns by the message that finds them. */
function sources(records: typeof RECORDS, turns: Readonly<Record<string, FoundTurn>> = {}) {
  const queries: LogQuery[] = [];
  const places: string[] = [];
  const all: TraceSources = {
    async readLogs(query) {
      queries.push(query);
      const matching = records.filter((record) =>
        (query.anyOf ?? []).some(
          ([name, value]) => (name === 'trace' ? record.trace : record.facts[name]) === value,
        ),
      );
      return { records: matching, isComplete: true };
    },
    async findTurn({ workspace, channel, root }, message) {
      places.push(`${workspace} ${channel} ${root}`);
      return turns[message];
    },
    readLedger: async () => undefined,
    slackTeam: async () => 'T1',
    discordParent: async () => undefined,
    findLogGap: async () => undefined,
    now: () => NOON + 600_000,
  };
  return { all, queries, places };
}
const trace = async (input: string, of: TraceSources, windowMs = 60_000) => {
  const reference = parseMessageReference(input);
  if (!reference) throw new Error('no reference');
  return traceMessage(reference, windowMs, of);
};

describe('a trace', () => {
  test('joins the log lines of the message and its stored turn, in the order of time', async () => {
    const { all, queries, places } = sources(RECORDS, { [MESSAGE]: TURN });
    const report = await trace(link(MESSAGE), all);
    expect(report?.row).toMatchObject({
      state: 'answered',
      model: 'edge',
      requests: 2,
      dollars: 0.25,
      problems: 1,
    });
    expect(report?.turn).toMatchObject({ asker: 'U1', claims: 2, promptTokens: 12, cachedTokens: 4 });
    expect(report?.entries.map(({ what }) => what)).toEqual([
      'The front accepted an event of Slack',
      'A request to the models failed',
      'The answer was complete',
      'The final update was shown',
    ]);
    expect(places).toEqual([`T1 C1 ${MESSAGE}`]);
    // The window, from a minute before the message.
    expect(queries[0]).toMatchObject({ fromMs: NOON - 60_000, untilMs: NOON + 60_001 });
  });

  test('says that an answer that is stored may not have been shown, if its task was given up', async () => {
    const givenUp = logRecord(900, 'task.given-up', { failures: 5 }, 'a');
    const unanswered = RECORDS.slice(0, 2).concat(givenUp);
    const report = await trace(MESSAGE, sources(unanswered, { [MESSAGE]: TURN }).all);
    expect(report?.notes).toEqual([expect.stringContaining('may not have been shown')]);
    const answered = await trace(MESSAGE, sources([...RECORDS, givenUp], { [MESSAGE]: TURN }).all);
    expect(answered?.notes).toEqual([]);
  });

  test('never contains what people and models wrote', async () => {
    const report = await trace(link(MESSAGE), sources(RECORDS, { [MESSAGE]: TURN }).all);
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  test('of a link to the answer is that of its question', async () => {
    const answer = `${NOON / 1000 + 1}.000200`;
    const report = await trace(link(answer, MESSAGE), sources(RECORDS, { [answer]: TURN }).all);
    expect(report?.turn?.message).toBe(MESSAGE);
    expect(report?.row?.model).toBe('edge');
  });

  test('of a link to an answer that somebody reacted to is that of its question too', async () => {
    const answer = `${NOON / 1000 + 1}.000200`;
    const reaction = logRecord(2_000, 'slack.accepted', { kind: 'reacted', ...PLACE, message: answer }, 'r');
    const report = await trace(
      link(answer, MESSAGE),
      sources([...RECORDS, reaction], { [answer]: TURN }).all,
    );
    expect(report?.row?.model).toBe('edge');
  });

  test('finds the lines by the request id where no line names the message', async () => {
    const report = await trace(link(MESSAGE), sources(RECORDS.slice(1), { [MESSAGE]: TURN }).all);
    expect(report?.row?.dollars).toBe(0.25);
  });

  test('without log lines shows the stored times, and says so', async () => {
    const report = await trace(link(MESSAGE), sources([], { [MESSAGE]: TURN }).all);
    expect(report?.entries.map(({ at }) => at - NOON)).toEqual([0, 20, 30, 400, 890]);
    expect(report?.notes.join(' ')).toContain('No log lines were found');
    // The system may log warnings only.
    const { all } = sources([], { [MESSAGE]: TURN });
    const quiet = await trace(link(MESSAGE), { ...all, findLogGap: async () => 'It logs warnings.' });
    expect(quiet?.notes[0]).toBe('Requests and most steps are missing. It logs warnings.');
  });

  test('of a link in a thread of Discord finds the turn by the channel of the thread', async () => {
    const [guild, parent, inThread] = ['201000000000000001', '301000000000000001', '401000000000000001'];
    const id = '1461737131622400000';
    const { all, places } = sources([]);
    const thread = { ...TURN.turn.thread, platform: 'discord' as const };
    const known: TraceSources = {
      ...all,
      findTurn: async (at, message) => {
        await all.findTurn(at, message);
        return at.channel === parent && at.root === inThread
          ? { ...TURN, turn: { ...TURN.turn, thread, message: messageId(id) } }
          : undefined;
      },
      discordParent: async (channel) => (channel === inThread ? parent : undefined),
    };
    const report = await trace(`https://discord.com/channels/${guild}/${inThread}/${id}`, known);
    expect(report?.turn).toMatchObject({ message: id });
    expect(places.at(-1)).toBe(`${guild} ${parent} ${inThread}`);
  });

  test('of a message in Slack finds the turn in the workspace that a later line names', async () => {
    const failed = logRecord(800, 'question.failed', { ...PLACE, platform: 'slack', workspace: 'T2' }, 'a');
    const { all, places } = sources([...RECORDS, failed], { [MESSAGE]: TURN });
    await trace(link(MESSAGE), all);
    expect(places).toEqual([`T2 C1 ${MESSAGE}`]);
  });

  test('of a message that nobody knows is nothing', async () => {
    expect(await trace(link(MESSAGE), sources([]).all)).toBeUndefined();
  });

  test('is readable on a terminal of 60 characters', async () => {
    const report = await trace(link(MESSAGE), sources(RECORDS, { [MESSAGE]: TURN }).all);
    const lines = report ? formatTrace(report, { width: 60, hasColors: false }) : [];
    expect(lines.slice(0, 8)).toEqual([
      `Message     ${MESSAGE} in slack T1 C1`,
      'Asked by    U1',
      'Received    2026-11-23 12:00:00 UTC',
      'State       answered (stop)',
      'Model       edge',
      'Tokens      12 in (4 cached), 3 out',
      'Cost        $0.25',
      'Attempts    2, 2 requests to the models, 1 problem',
    ]);
    for (const line of lines.slice(11)) expect(line.length).toBeLessThanOrEqual(60);
  });
});

test('of a deployment shows the requests to platforms and models, as the worker logged them', async () => {
  let now = NOON;
  const written: [number, string][] = [];
  const header = 'Root=1-6b09be64-496c53bcad59418e92fa9d17;Sampled=0';
  const write = (line: string): void => void written.push([now, `${line}\n`]);
  const log = createLogger(
    'info',
    write,
    () => now,
    () => header,
  );
  log.info('slack.accepted', { kind: 'message', ...PLACE });
  const server = createServer((request, response) => {
    now += 40;
    response.writeHead(request.url?.includes('Stream') ? 429 : 200, { 'retry-after': '2' }).end('{}');
  });
  const origin = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  await createCallRecorder(
    { slack: [`${origin}/api/`] },
    log.info,
    () => now,
  )(async () => {
    for (const method of ['chat.startStream', 'chat.postMessage'])
      await (await fetch(`${origin}/api/${method}?text=secret`, { method: 'POST' })).text();
  });
  server.close();
  const { call } = fakeCloudWatchLogs({ '/Parley/worker': written, '/Parley/slack-events': [] }, 1);
  const { all } = sources([], { [MESSAGE]: TURN });
  const reference = parseMessageReference(link(MESSAGE));
  if (!reference) throw new Error('no reference');
  const report = await traceMessage(reference, 60_000, {
    ...all,
    readLogs: createDeploymentLogs(call, 'Parley', () => 0),
  });
  expect(report?.calls).toEqual([
    {
      service: 'slack',
      method: 'chat.startStream',
      requests: 1,
      ms: 40,
      waitMs: 2_000,
      statuses: { '429': 1 },
    },
    { service: 'slack', method: 'chat.postMessage', requests: 1, ms: 40, waitMs: 0, statuses: { '200': 1 } },
  ]);
  const lines = report ? formatTrace(report, { width: 80, hasColors: false }) : [];
  expect(lines.join('\n')).toContain(
    [
      'API calls',
      'To     Method            Requests  Outcome  Had to wait   Time',
      'slack  chat.startStream         1  429            2.0 s  40 ms',
      'slack  chat.postMessage         1  200                   40 ms',
    ].join('\n'),
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(JSON.stringify([report, written])).not.toContain('secret');
});
