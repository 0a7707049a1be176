import { describe, expect, test } from '@jest/globals';
import { EVENTS, METHODS } from './coverage.ts';
import { ROUTES } from './methods/routes.ts';
import { ADA, inner, setUp } from './set-up.ts';

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
    const { workspace, events } = setUp({ identity: { subscriptions: Object.keys(EVENTS) } });
    for (const channel of ['general', 'lab', 'dm']) workspace.say(ADA, '@parley hi', { channel });
    const types = { channel: 'message.channels', group: 'message.groups', im: 'message.im' } as const;
    const seen = events.map(inner).map(({ type, channel_type: kind }) => {
      if (type === 'message' && (kind === 'channel' || kind === 'group' || kind === 'im')) return types[kind];
      return type === 'app_mention' ? type : 'unknown';
    });
    expect([...new Set(seen)].toSorted()).toEqual(present(EVENTS));
  });
});
