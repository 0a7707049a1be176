import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { APP_METHODS } from './app-settings.ts';
import { EVENTS, METHODS, METHODS_OF_APPS } from './coverage.ts';
import { ROUTES } from './methods/routes.ts';
import { USED_METHODS } from './used-methods.ts';
import { DOCUMENTED_ERRORS } from './documented-errors.ts';
import { ADA, inner, setUp } from './harness.ts';
import { stringOf } from './state.ts';

const present = (table: typeof METHODS): string[] =>
  Object.keys(table)
    .filter((name) => table[name]?.level !== 'absent')
    .toSorted();

/** By the manifest in docs/. */
function subscribed(): string[] {
  const manifest = readFileSync(
    join(import.meta.dirname, '..', '..', '..', 'docs', 'slack-app.json'),
    'utf8',
  );
  const events = v.object({ bot_events: v.array(v.string()) });
  const shape = v.object({ settings: v.object({ event_subscriptions: events }) });
  return v.parse(shape, JSON.parse(manifest)).settings.event_subscriptions.bot_events;
}

describe('the coverage table', () => {
  test('names exactly the methods of the simulator', () => {
    expect([...ROUTES.keys()].toSorted()).toEqual(present(METHODS));
    expect([...APP_METHODS.keys()].toSorted()).toEqual(present(METHODS_OF_APPS));
  });

  test('has every method that the bot calls, and every event it subscribes to', () => {
    expect(present(METHODS)).toEqual(expect.arrayContaining([...USED_METHODS]));
    expect(present(EVENTS)).toEqual(expect.arrayContaining(subscribed()));
    // Found by their form in the source; if the form changed, none would be found.
    expect([...USED_METHODS]).toEqual(expect.arrayContaining(Object.keys(DOCUMENTED_ERRORS)));
  });

  test('names as absent only methods that the simulator does not have', () => {
    const { call } = setUp();
    for (const [method, { level }] of Object.entries(METHODS)) {
      expect([method, call(method)['error'] === 'unknown_method']).toEqual([method, level === 'absent']);
    }
  });

  test('names exactly the events that the simulator sends', () => {
    const { workspace, events, call } = setUp({
      identity: {
        subscriptions: Object.keys(EVENTS),
        enterprise: { id: 'E1', name: 'Org', orgInstall: true },
      },
    });
    for (const { id } of workspace.state.channels.values()) {
      const person = workspace.state.channels.get(id)?.members[0] ?? '';
      workspace.say(person, '@parley hi', { channel: id });
    }
    const thread_ts = workspace.say(ADA, 'hi', { channel: 'dm' });
    call('chat.startStream', { channel: `D${ADA.slice(1)}`, thread_ts });
    workspace.stop(ADA, 'dm', thread_ts);
    workspace.react(ADA, 'dm', thread_ts, 'memo');
    workspace.openHome(ADA);
    for (const { id, kind } of workspace.state.channels.values())
      if (kind === 'channel' || kind === 'group') workspace.deleteChannel(id);
    workspace.revokeAccess([workspace.identity.teamId]);
    workspace.uninstall();
    const kinds: Record<string, string> = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' };
    const eventNames = events
      .map(inner)
      .map(({ type, channel_type: kind }) =>
        type === 'message' ? `message.${kinds[stringOf(kind)]}` : stringOf(type),
      );
    expect([...new Set(eventNames)].toSorted()).toEqual(present(EVENTS));
  });
});

const shared = process.env['PARLEY_SHARED'];
const folder = join(shared ?? '', 'samples', 'slack', 'slack-api-ref', 'docs.slack.dev', 'methods');
const reference = v.object({ rate_limits: v.string(), errors: v.record(v.string(), v.unknown()) });
const documented = [...ROUTES.keys()]
  .filter((method) => existsSync(join(folder, `${method}.json`)))
  .map((method) => [method, join(folder, `${method}.json`)] as const);

const whenThere = documented.length === 0 ? describe.skip : describe;
whenThere(
  "held against Slack's reference (skipped unless PARLEY_SHARED names the folder of samples/)",
  () => {
    test.each(documented)('%s has its documented tier and errors', (method, file) => {
      const { rate_limits: tier, errors } = v.parse(reference, JSON.parse(readFileSync(file, 'utf8')));
      expect(ROUTES.get(method)?.tier).toBe(tier === 't5' ? 'special' : tier);
      const all = Object.keys(errors);
      expect((DOCUMENTED_ERRORS[method] ?? all).toSorted()).toEqual(all.toSorted());
    });
  },
);
