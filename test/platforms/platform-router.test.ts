import { expect, test } from '@jest/globals';
import { messageId, type Thread } from '../../shared/domain/index.ts';
import { messengerRouter, platformRouter } from '../../shared/platforms/platform-router.ts';
import { fakePlatform, TURN } from '../chat/completion-harness.ts';
import { FakeMessenger } from '../fakes/messenger.ts';

/** Records each call of a method in place of the adapter. */
const recorded = <T extends object>(adapter: T, calls: unknown[][]): T =>
  new Proxy(adapter, {
    get:
      (_, name) =>
      (...given: unknown[]): void =>
        void calls.push([name, ...given]),
  });

type Place = Pick<Thread, 'platform'>;

test.each(['slack', 'discord'] as const)(
  'every method of both routers reaches the adapter of %s only',
  (platform) => {
    const calls: Record<Thread['platform'], unknown[][]> = { slack: [], discord: [] };
    const routers = [
      platformRouter((place: Place) => recorded(fakePlatform(), calls[place.platform])),
      messengerRouter((place) => recorded(new FakeMessenger(), calls[place.platform])),
    ];
    // Some methods take a turn, the others a place.
    const thread = { ...TURN.thread, platform };
    const subject = { ...TURN, ...thread, thread };
    const names = routers.flatMap((router) => Object.keys(router));
    for (const router of routers)
      for (const name of Object.keys(router)) {
        const method: unknown = Reflect.get(router, name);
        if (typeof method === 'function') Reflect.apply(method, router, [subject, 'second']);
      }
    expect(names.length).toBeGreaterThan(20);
    expect(calls[platform].map(([name, first]) => [name, first])).toEqual(
      names.map((name) => [name, subject]),
    );
    expect(calls[platform === 'slack' ? 'discord' : 'slack']).toEqual([]);
  },
);

test('the router passes every argument of a status, so that an answer in a thread keeps its own status', async () => {
  const calls: unknown[][] = [];
  const thread = { ...TURN.thread, root: messageId('7.7') };
  await messengerRouter(() => recorded(new FakeMessenger(), calls)).showWorking(thread, '', true);
  expect(calls).toEqual([['showWorking', thread, '', true]]);
});
