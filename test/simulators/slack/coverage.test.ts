import { describe, expect, test } from '@jest/globals';
import { EVENTS, METHODS } from './coverage.ts';
import { ROUTES } from './methods/routes.ts';
import { ADA, inner, setUp } from './set-up.ts';
import { stringOf } from './state.ts';

const present = (table: typeof METHODS): string[] =>
  Object.keys(table)
    .filter((name) => table[name]?.level !== 'absent')
    .toSorted();

describe('the coverage table', () => {
  test('names exactly the methods that are routed', () => {
    expect([...ROUTES.keys()].toSorted()).toEqual(present(METHODS));
  });

  test('and what is absent is unknown to the simulator', () => {
    const { call } = setUp();
    for (const [method, { level }] of Object.entries(METHODS)) {
      expect([method, call(method)['error'] === 'unknown_method']).toEqual([method, level === 'absent']);
    }
  });

  test('names exactly the events that are emitted', () => {
    const { workspace, events, call } = setUp({ identity: { subscriptions: Object.keys(EVENTS) } });
    for (const { id } of workspace.state.channels.values()) {
      const person = workspace.state.channels.get(id)?.members[0] ?? '';
      workspace.say(person, '@parley hi', { channel: id });
    }
    const thread_ts = workspace.say(ADA, 'hi', { channel: 'dm' });
    call('chat.startStream', { channel: ADA, thread_ts });
    workspace.stop(ADA, 'dm', thread_ts);
    workspace.react(ADA, 'dm', thread_ts, 'memo');
    workspace.openHome(ADA);
    workspace.uninstall();
    const kinds: Record<string, string> = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' };
    const seen = events
      .map(inner)
      .map(({ type, channel_type: kind }) =>
        type === 'message' ? `message.${kinds[stringOf(kind)]}` : stringOf(type),
      );
    expect([...new Set(seen)].toSorted()).toEqual(present(EVENTS));
  });
});
