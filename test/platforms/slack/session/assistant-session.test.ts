import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSlackPlatform } from '../../../../shared/platforms/slack/index.ts';
import { inBytes } from '../../../../shared/platforms/markdown/index.ts';
import { createDirectClient } from '../../../simulators/slack/direct-client.ts';
import { createWorkspace, type WorkspaceOptions } from '../../../simulators/slack/index.ts';
import { ADA } from '../../../simulators/slack/harness.ts';
import { fakeTime, openFakeSlack, turn as TURN } from '../fake-slack.ts';
import { turnAt } from '../simulated-turn.ts';

const HOUR_MS = 60 * 60_000;
const SENTENCE = 'This is a sentence that is long enough to be shown to everybody. ';

/** A question of Ada in a simulated workspace, and the requests to Slack for it. */
function startSession(identity: WorkspaceOptions['identity'] = {}, bytes?: number) {
  const time = fakeTime();
  const workspace = createWorkspace({ clock: time.now, identity });
  const calls: string[] = [];
  const direct = createDirectClient(workspace);
  const platform = createSlackPlatform({
    call: (method, args) => {
      calls.push(typeof args['status'] === 'string' ? `${method} ${args['status']}` : method);
      return direct(method, args);
    },
    time,
    botUserId: workspace.identity.botUserId,
    ...(bytes && { limit: inBytes(bytes) }),
  });
  const ask = () => {
    const question = workspace.say(ADA, '@parley why?');
    const turn = turnAt({ channel: workspace.channel, ...workspace.identity }, question);
    return { turn, question };
  };
  const { turn, question } = ask();
  const { state } = workspace;
  const inThread = <T extends { thread: string }>(all: Iterable<T>): T | undefined =>
    [...all].find(({ thread }) => thread === question);
  return {
    time,
    workspace,
    calls,
    platform,
    turn,
    ask,
    /** Throws where a person sees no Stop. */
    pressStop: () => workspace.stop(ADA, 'general', question),
    session: () => inThread(state.sessions.values())?.status,
    words: () => inThread(state.statuses.values())?.words,
    notes: () =>
      [...(state.messages.get(workspace.channel)?.values() ?? [])]
        .filter(({ ephemeralTo }) => ephemeralTo === ADA)
        .map(({ text }) => text),
  };
}

describe('where a workspace has sessions', () => {
  test("Slack's Stop is shown from the first status, and no later status removes it", async () => {
    const { platform, turn, time, pressStop, session, words } = startSession();
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    expect(session()).toBe('processing');
    reply.enableStopButton();
    await platform.showStatus(turn, 'is still thinking…', 'work');
    await platform.showStatus(turn, 'is looking at a file…');
    expect(words()).toBeUndefined();
    pressStop();
    await time.until(reply.publish('Stopped.'));
    await platform.showStatus(turn, '');
    expect(session()).toBe('active');
  });

  test("Slack's Stop stays during the answer, also when the status text ends", async () => {
    const { platform, turn, time, pressStop, session } = startSession();
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    reply.write(SENTENCE);
    await platform.showStatus(turn, '');
    await time.advance(2_000);
    reply.write(SENTENCE);
    await time.advance(10_000);
    pressStop();
    await time.until(reply.publish('Stopped.'));
    expect(session()).toBe('active');
  });

  test("Slack's Stop stays between two messages of an answer", async () => {
    const { platform, turn, time, pressStop, session, calls } = startSession({}, 150);
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    let text = '';
    for (const word of SENTENCE.repeat(9).split(/(?<= )/u)) {
      // The next message waits for its first sentence.
      if (calls.at(-1) === 'chat.stopStream') break;
      text += word;
      reply.write(word);
      await time.advance(100);
    }
    expect(calls.at(-1)).toBe('chat.stopStream');
    pressStop();
    await time.until(reply.publish(text));
    expect(session()).toBe('active');
  });

  test('a streamed answer costs one session request, and none if it starts at once', async () => {
    const { platform, turn, time, calls, ask, session } = startSession();
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    reply.write(SENTENCE);
    await time.advance(100);
    await platform.showStatus(turn, '');
    await time.until(reply.publish(SENTENCE));
    expect(calls).toEqual(['agents.sessions.setStatus processing', 'chat.startStream', 'chat.stopStream']);
    expect(session()).toBe('active');
    const next = platform.reply(ask().turn, []);
    next.write(SENTENCE);
    await time.advance(100);
    await time.until(next.publish(SENTENCE));
    expect(calls.slice(3)).toEqual(['chat.startStream', 'chat.stopStream']);
  });

  test('a status after the answer ends with the next empty status', async () => {
    const { platform, turn, time, session } = startSession();
    await time.until(platform.reply(turn, []).publish('42.'));
    await platform.showStatus(turn, 'is still thinking…', 'work');
    await platform.showStatus(turn, '');
    expect(session()).toBe('active');
  });

  test('a waiting person gets their position once in an ephemeral message', async () => {
    const { platform, turn, notes, pressStop } = startSession();
    platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    await platform.showStatus(turn, 'is waiting in line: place 3, about 9 s', 'wait');
    await platform.showStatus(turn, 'is waiting in line: place 2, about 5 s', 'wait');
    expect(notes()).toEqual(['⏳ Parley is waiting in line: place 3, about 9 s']);
    pressStop();
  });

  test('each session is queried for its Stop, since the app may be subscribed meanwhile', async () => {
    const session = startSession();
    const subscriptions = session.workspace.identity.subscriptions;
    const list = subscriptions.filter((name) => name !== 'agent_session_stopped');
    const { platform, turn, time, ask, workspace } = startSession({ subscriptions: list });
    const long = async (which: typeof turn) => {
      const reply = platform.reply(which, []);
      for (let second = 0; second < 7; second += 1) {
        reply.write(SENTENCE);
        await time.advance(1_000);
      }
      const posted = await reply.posted();
      await time.until(reply.publish(SENTENCE.repeat(7)));
      return posted;
    };
    // One of them is the message with the bot's own Stop button.
    expect(await long(turn)).toHaveLength(2);
    list.push('agent_session_stopped');
    expect(workspace.identity.subscriptions).toContain('agent_session_stopped');
    expect(await long(ask().turn)).toHaveLength(1);
  });

  test('a status text is shown where the session has no Stop', async () => {
    const { platform, turn, words, time, session } = startSession({ subscriptions: ['app_mention'] });
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is waiting in line: about 9 s', 'wait');
    expect(words()).toBe('is waiting in line: about 9 s');
    await platform.showStatus(turn, '');
    expect(words()).toBeUndefined();
    await time.until(reply.publish('42.'));
    expect(session()).toBe('active');
  });
});

describe.each(['feature_disabled', 'not_authorized', 'unknown_method'])(
  'where a workspace refuses sessions with %s',
  (refusal) => {
    const identity = { refusedApis: { 'agents.sessions': refusal } };

    test('a status text is shown, and sessions are tried once in an hour', async () => {
      const { platform, turn, words, calls, time, ask } = startSession(identity);
      await platform.showStatus(turn, 'is thinking…', 'work');
      expect(words()).toBe('is thinking…');
      await platform.showStatus(turn, 'is waiting in line: about 9 s', 'wait');
      expect(words()).toBe('is waiting in line: about 9 s');
      await platform.showStatus(turn, '');
      expect(words()).toBeUndefined();
      await platform.showStatus(ask().turn, 'is thinking…', 'work');
      expect(calls).toEqual([
        'agents.sessions.setStatus processing',
        'assistant.threads.setStatus is thinking…',
        'assistant.threads.setStatus is waiting in line: about 9 s',
        'assistant.threads.setStatus ',
        'assistant.threads.setStatus is thinking…',
      ]);
      await time.advance(HOUR_MS);
      await platform.showStatus(ask().turn, 'is thinking…', 'work');
      expect(calls.slice(5)).toEqual([
        'agents.sessions.setStatus processing',
        'assistant.threads.setStatus is thinking…',
      ]);
    });

    test('a new worker removes the status of an earlier one', async () => {
      const { platform, turn, words, workspace, calls } = startSession(identity);
      const channel_id = workspace.channel;
      const left = { channel_id, thread_ts: turn.thread.root, status: 'is thinking…' };
      await createDirectClient(workspace)('assistant.threads.setStatus', left);
      await Promise.all([platform.showStatus(turn, ''), platform.reply(turn, []).stopStreaming()]);
      expect(words()).toBeUndefined();
      expect(calls.length).toBeLessThanOrEqual(2);
    });
  },
);

describe.each(['method_deprecated', 'unknown_method'])('where the old API is refused with %s', (refusal) => {
  test('it is not called', async () => {
    const { platform, turn, time, calls, session } = startSession({
      refusedApis: { 'assistant.threads': refusal },
    });
    const reply = platform.reply(turn, []);
    await platform.showStatus(turn, 'is thinking…', 'work');
    await platform.showStatus(turn, 'is looking at a file…');
    await platform.showStatus(turn, '');
    await time.until(reply.publish('42.'));
    expect(calls.filter((call) => call.startsWith('assistant.'))).toEqual([]);
    expect(session()).toBe('active');
  });

  test('and sessions are refused too, an answer is posted, and each API is tried once', async () => {
    const refusedApis = { 'agents.sessions': 'feature_disabled', 'assistant.threads': refusal };
    const { platform, turn, time, calls, ask } = startSession({ refusedApis });
    for (const each of [turn, ask().turn]) {
      const reply = platform.reply(each, []);
      await platform.showStatus(each, 'is thinking…', 'work');
      await platform.showStatus(each, 'is looking at a file…');
      await time.until(reply.publish('42.'));
    }
    expect(calls.filter((call) => !call.startsWith('chat.'))).toEqual([
      'agents.sessions.setStatus processing',
      'assistant.threads.setStatus is thinking…',
    ]);
  });

  test('sessions replace it once the workspace has them', async () => {
    const refusedApis: Record<string, string> = { 'agents.sessions': 'feature_disabled' };
    const { platform, turn, ask, session, calls } = startSession({ refusedApis });
    await platform.showStatus(turn, 'is thinking…', 'work');
    delete refusedApis['agents.sessions'];
    refusedApis['assistant.threads'] = refusal;
    await platform.showStatus(ask().turn, 'is thinking…', 'work');
    expect(calls.at(-1)).toBe('agents.sessions.setStatus processing');
    expect(session()).toBeUndefined();
  });
});

test('a status text replaces a throttled session until the session works', async () => {
  let busy = 1;
  const { slack, platform } = openFakeSlack((method) =>
    method === 'agents.sessions.setStatus' && busy-- > 0 ? 'busy' : undefined,
  );
  await platform.showStatus(TURN, 'is waiting in line: about 9 s', 'wait');
  await platform.showStatus(TURN, 'is thinking…');
  expect(slack.calls.map(({ method, args }) => `${method} ${String(args['status'])}`)).toEqual([
    'agents.sessions.setStatus processing',
    'assistant.threads.setStatus is waiting in line: about 9 s',
    'agents.sessions.setStatus processing',
  ]);
});

test('a refusal for one place does not count for the workspace', async () => {
  const { platform, turn: first, calls, ask, workspace } = startSession();
  const channel = workspace.state.channels.get(workspace.channel);
  if (!channel) throw new Error('no channel');
  const members = channel.members.splice(channel.members.indexOf(workspace.identity.botUserId), 1);
  await platform.showStatus(first, 'is thinking…', 'work');
  channel.members.push(...members);
  await platform.showStatus(ask().turn, 'is thinking…', 'work');
  expect(calls.at(-1)).toBe('agents.sessions.setStatus processing');
});

test('only the session port uses the API that Slack removes in February 2027', () => {
  const folder = join(import.meta.dirname, '../../../..', 'shared', 'platforms', 'slack', 'session');
  const calls = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/'(assistant\.threads\.\w+)'/gu)].map(
        ([, method]) => [file, method],
      ),
    );
  expect(calls).toEqual([['assistant-session.ts', 'assistant.threads.setStatus']]);
});
