import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  createSightings,
  findFault,
  formatRehearsal,
  isBad,
  judgeOutcome,
  listFaultNames,
  toSimulated,
  toVariables,
} from '../../../../infra/parley/rehearse/rehearsal.ts';
import { runRehearse, switchFaults, waitAtMost } from '../../../../infra/parley/rehearse/rehearse-command.ts';
import {
  type AnswerState,
  openDashboard,
  rehearseOn,
} from '../../../../infra/parley/rehearse/run-rehearsal.ts';
import { SILENT_TERMINAL } from '../../../../infra/parley/terminal.ts';
import type { Stage } from '../../../../infra/parley/rehearse/stages.ts';

/** A platform that shows these texts after each question, and a clock that only waiting moves. */
function world(replies: readonly (readonly string[])[], states: readonly AnswerState[]) {
  let time = 0;
  const now = () => time;
  const sightings = createSightings(now);
  const places: unknown[] = [];
  const stage: Stage = {
    platform: 'Slack',
    sightings,
    async ask(_text, where) {
      const index = places.push(where) - 1;
      time += 100;
      for (const text of replies[index] ?? [])
        sightings.add({ kind: 'message', id: `m${index}`, text, channel: 'C' });
      return String(index);
    },
  };
  const deps = {
    readState: async (message: string) => states[Number(message)],
    now,
    sleep: async (ms: number) => void (time += ms),
    report: () => undefined,
    timeoutMs: 10_000,
  };
  return { stage, deps, places };
}

describe('a rehearsal', () => {
  test('asks in a channel, in its thread and in a direct message, and shows what people saw', async () => {
    const { stage, deps, places } = world(
      [['4', '42'], ['6 * 7'], ['Hello']],
      ['answered', 'answered', 'answered'],
    );
    const questions = await rehearseOn(stage, deps);
    expect(places).toMatchObject(['channel', { after: '0', answer: { id: 'm0', text: '42' } }, 'direct']);
    expect(questions.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered']);
    expect(formatRehearsal(questions.slice(0, 1), undefined)).toEqual([
      'Slack, in a channel: What is 6 * 7?',
      '    +100 ms  42 (complete after 100 ms, 1 update)',
      '  -> ANSWERED',
      '',
    ]);
  });

  test('finds what is lost, what is silent, and errors that people read', async () => {
    const { stage, deps } = world(
      [['...'], [], ['The models do not work.']],
      ['waiting', 'answered', 'failed'],
    );
    const questions = await rehearseOn(stage, deps);
    expect(questions.map(({ outcome }) => outcome)).toEqual(['lost', 'silent', 'error shown']);
    expect(questions.map(isBad)).toEqual([true, true, false]);
  });

  test('does not take a status for an answer', () => {
    const status = {
      kind: 'status' as const,
      id: 's',
      text: 'Thinking',
      channel: 'C',
      at: 0,
      until: 0,
      changes: 0,
    };
    expect(judgeOutcome('answered', [status])).toBe('silent');
    expect(judgeOutcome(undefined, [])).toBe('lost');
  });
});

test('faults have the names of the panel, or of their titles', () => {
  const faults = [
    { name: 'rate-limits', title: '429 storm' },
    { name: 'models-full', title: 'Models full (503)' },
    { name: 'slow-tables', title: 'Slow tables' },
  ];
  expect(findFault(faults, '429-storm')?.name).toBe('rate-limits');
  expect(findFault(faults, 'models-full')?.name).toBe('models-full');
  expect(findFault(faults, 'storm')).toBeUndefined();
  expect(listFaultNames(faults)).toBe('rate-limits (429-storm), models-full (models-full-503), slow-tables');
});

test('an unknown fault is rejected, with the list of all, before the simulated world starts', async () => {
  const reported: string[] = [];
  const options = {
    fault: ['slow-tables', 'typo'],
    platform: 'slack',
    env: '.env',
    timeout: 1,
    json: false,
  } as const;
  const running = runRehearse(options, { ...SILENT_TERMINAL, report: (line) => void reported.push(line) });
  await expect(running).rejects.toThrow(
    /^There is no fault typo\. There are: .*rate-limits \(429-storm\).*duplicate-events.*killed-worker/u,
  );
  expect(reported).toEqual([]);
});

test('a fault that cannot be switched on is rejected with the reason', async () => {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/dashboard') response.writeHead(302, { location: `http://${host()}/` }).end();
    else if (url === '/faults') response.writeHead(404).end('{}');
    else response.end(JSON.stringify({ faults: [{ name: 'slow', unavailable: 'No table.' }] }));
  });
  const host = () => {
    const address = server.address();
    return typeof address === 'object' && address ? `127.0.0.1:${address.port}` : '';
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dashboard = await openDashboard(`http://${host()}`);
  const switching = switchFaults([{ name: 'slow', title: 'Slow' }], dashboard, 1, SILENT_TERMINAL);
  await expect(switching).rejects.toThrow('The fault slow cannot be switched on. No table.');
  server.closeAllConnections();
  server.close();
});

test('the parameters of a deployment are settings, empty ones are none', () => {
  expect(toVariables({ HistoryDays: '7', UpstreamModel: 'ours', VideoModels: '' })).toEqual({
    HISTORY_DAYS: '7',
    UPSTREAM_MODEL: 'ours',
    VIDEO_MODELS: undefined,
  });
});

test('real services are left out, settings and names of models stay', () => {
  expect(
    toSimulated({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_COMMAND: '/ask',
      DISCORD_BOT_TOKEN: 'a.b.c',
      DISCORD_MESSAGES: 'all',
      UPSTREAM_BASE_URL: 'https://models.example.com',
      UPSTREAM_API_KEY: 'k',
      UPSTREAM_MODEL: 'ours-1',
      OTHER_MODELS: 'ours-2, ours-1',
      DEPLOYMENT_BUDGET: '$1/day',
    }),
  ).toEqual({
    variables: {
      SLACK_COMMAND: '/ask',
      DISCORD_MESSAGES: 'all',
      OTHER_MODELS: 'ours-2, ours-1',
      DEPLOYMENT_BUDGET: '$1/day',
    },
    models: ['ours-1', 'ours-2'],
  });
});

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('waiting for the relay ends with it, and leaves no timer that keeps the process alive', async () => {
  const before = countTimers();
  await waitAtMost(Promise.resolve(), 60_000, new AbortController().signal);
  expect(countTimers()).toBeLessThanOrEqual(before);
  const never = Promise.withResolvers<void>().promise;
  await expect(waitAtMost(never, 60_000, AbortSignal.abort())).rejects.toThrow('Stopped.');
  expect(countTimers()).toBeLessThanOrEqual(before);
});
