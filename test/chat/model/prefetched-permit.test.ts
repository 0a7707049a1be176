import { expect, test } from '@jest/globals';
import { PrefetchedPermit } from '../../../shared/chat/model/prefetched-permit.ts';
import { permitHolder } from '../../../shared/chat/model/wait-for-permit.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { TestTime } from '../../upstream/time.ts';
import { TURN } from '../rig.ts';

const ASK = permitHolder(TURN.thread, TURN.asker);
const PERMIT = { key: 'key' };

function begun(takeFree = UNLIMITED_PERMITS.takeFree) {
  const time = new TestTime();
  const given: string[] = [];
  const release = ({ key }: typeof PERMIT) => Promise.resolve(void given.push(key));
  return {
    time,
    given,
    early: new PrefetchedPermit(ASK, { permits: { ...UNLIMITED_PERMITS, takeFree, release }, time }),
  };
}

test('a prefetched permit serves one request, and cannot be released after it', async () => {
  const { early, given } = begun();
  expect(await early.use()).toEqual(PERMIT);
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(given).toEqual([]);
});

test('a prefetched permit that is not used is released once', async () => {
  const { early, given } = begun();
  await early.end();
  await early.end();
  expect(given).toEqual(['key']);
  expect(await early.use()).toBeUndefined();
});

test('a prefetched permit is released when the request comes too late for it', async () => {
  const { early, given, time } = begun();
  time.advance(501);
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(given).toEqual(['key']);
});

test('a denied prefetched permit costs nothing', async () => {
  const { early, given } = begun(() => Promise.resolve(undefined));
  expect(await early.use()).toBeUndefined();
  await early.end();
  expect(given).toEqual([]);
});
