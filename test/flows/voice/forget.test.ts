import { expect, test } from '@jest/globals';
import { hear } from '../../../shared/flows/index.ts';
import { MediaError } from '../../../shared/media/index.ts';
import { rig, task, THREAD } from './rig.ts';

const SHOW = { kind: 'show' as const };
const FORGET = task({ kind: 'forget' }, { recordings: [] });
const REF = { thread: THREAD, message: FORGET.message, file: 'F1' };

test('with the message goes what was written out of it: the card, the files, and all that is kept', async () => {
  const { deps, delivery, removed, cards, dynamo } = rig({ F1: { pieces: 12 } });
  await hear(task(SHOW), deps, delivery);
  await hear(FORGET, deps, delivery);
  expect(removed).toEqual([cards.at(-1)?.at, '8.1', '8.2', '8.3']);
  expect(dynamo.items('conversations')).toEqual([]);
  await hear(FORGET, deps, delivery);
  expect(removed).toHaveLength(4);
});

test('what failed goes too, and what cannot be taken down is forgotten all the same', async () => {
  const { deps, delivery, dynamo, cards, removed } = rig();
  const media = {
    async *listen() {
      yield* [];
      throw new MediaError('empty');
    },
  };
  await hear(task(SHOW), { ...deps, media }, delivery);
  await hear(FORGET, deps, delivery);
  expect(removed).toEqual([cards.at(-1)?.at]);

  await hear(task(SHOW), deps, delivery);
  const stage = { ...deps.stage, removeCard: () => Promise.reject(new Error('no')) };
  await hear(FORGET, { ...deps, stage }, delivery);
  expect(dynamo.items('conversations')).toEqual([]);
});

test('what is forgotten while it is heard is not shown when it is done', async () => {
  const { deps, delivery, removed, hooks, recordings, dynamo, cards } = rig();
  hooks.beforeHear = async (n) => {
    if (n === 1) await recordings.remove(REF);
  };
  await hear(task(SHOW), deps, delivery);
  expect(removed).toEqual([cards.at(-1)?.at]);
  expect(dynamo.items('conversations')).toEqual([]);
});
