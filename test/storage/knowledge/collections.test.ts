import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { indexPassages, listTerms, rankPassages } from '../../../shared/knowledge/rules/index.ts';
import {
  Collections,
  type CollectionsConfig,
  Exports,
  type KnowledgeDocument,
  TurnSignals,
} from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const PLACE = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
const OTHER = { ...PLACE, channel: channelId('C12') };
const [ADA, T1, MESSAGE] = [userId('U1'), workspaceId('T1'), messageId('1700000000.000100')];

function start() {
  const dynamo = createMemoryDynamo();
  const config = { dynamo, table: 'conversations', now: () => 1_700_000_000_000, days: 30 };
  const slept: number[] = [];
  const removed: string[] = [];
  const settings: CollectionsConfig = {
    ...config,
    sleep: async (ms) => void slept.push(ms),
    enqueueSecondRemoval: async (_, id) => void removed.push(id),
  };
  const collections = new Collections(settings);
  const save = async (
    id: string,
    title: string,
    texts: readonly string[],
    place = PLACE,
    {
      requestedAt = 1_700_000_000_000,
      readAt,
      isFromBot,
      ...changed
    }: Partial<CollectionsConfig> &
      Partial<Pick<KnowledgeDocument, 'requestedAt' | 'readAt' | 'isFromBot'>> = {},
  ) => {
    const passages = texts.map((text, index) => ({ text, page: index + 1 }));
    const index = indexPassages(title, passages);
    const document = {
      id,
      kind: 'file' as const,
      title,
      url: 'https://example.com/m',
      by: ADA,
      byWorkspace: T1,
      isFromBot,
      requestedAt,
      readAt,
      lengths: index.lengths,
    };
    await new Collections({ ...settings, ...changed }).save(place, document, passages, index);
    return document;
  };
  const search = async (query: string, place = PLACE) => {
    const { ready } = await collections.list(place);
    const terms = listTerms(query);
    const ranked = rankPassages(terms, await collections.findTerms(place, ready, terms), 5);
    return Promise.all(ranked.map(({ id, position }) => collections.findPassage(place, id, position)));
  };
  // A removed document leaves its key for an hour, without data.
  const keys = () =>
    dynamo
      .items('conversations')
      .filter((item) => Object.keys(item).toSorted().join() !== 'pk,removed,sk,ttl')
      .map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
  return { dynamo, config, settings, collections, save, search, keys, slept, removed };
}

const MANY = Array.from({ length: 45 }, (_, index) => `Rule ${index}: word${index} is allowed`);

test('passages are found by their words, with their page; only in the collection of their channel', async () => {
  const { save, search, collections } = start();
  await save('U1.a', 'Handbook', MANY);
  await save('U2.a', 'Other', ['word7 elsewhere'], OTHER);
  expect(await search('word44')).toEqual([{ text: MANY[44], page: 45 }]);
  expect(await search('elsewhere')).toEqual([]);
  expect(await search('elsewhere', OTHER)).toHaveLength(1);
  expect(await collections.hasDocuments(PLACE)).toBe(true);
  // A prefix of its id is another channel.
  expect(await collections.hasDocuments({ ...PLACE, channel: channelId('C') })).toBe(false);
});

test('a document that is added again replaces the earlier one, and leaves nothing of it', async () => {
  const { save, search, keys } = start();
  await save('U1.a', 'Handbook', MANY);
  await save('U1.b', 'Handbook', ['Only this']);
  expect(await search('word44')).toEqual([]);
  expect(keys().every((key) => key.includes('U1.b'))).toBe(true);
});

test('a document is not found before all of it is stored, and is listed as unfinished', async () => {
  const { dynamo, settings, collections, save, search } = start();
  let left = 3;
  const config = {
    ...settings,
    dynamo: {
      ...dynamo,
      put: (input: Parameters<typeof dynamo.put>[0]) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error('down')) : dynamo.put(input);
      },
    },
  };
  const broken = new Collections(config);
  const document = await save('U1.a', 'Handbook', ['kept']);
  const index = indexPassages('Handbook', [{ text: 'new' }]);
  const saving = broken.save(
    PLACE,
    { ...document, id: 'U1.b', lengths: index.lengths },
    [{ text: 'new' }],
    index,
  );
  await expect(saving).rejects.toThrow('down');
  expect((await collections.list(PLACE)).unfinished.map(({ id }) => id)).toEqual(['U1.b']);
  expect(await search('new')).toEqual([]);
  expect(await search('kept')).toHaveLength(1);
});

test('removal leaves nothing: of a document, of a message, of all', async () => {
  const { save, collections, keys, config } = start();
  const signals = new TurnSignals(config);
  const thread = { ...PLACE, root: MESSAGE };
  await save(`M${MESSAGE}.f1.a`, 'One', MANY);
  await save(`M${MESSAGE}.f2.a`, 'Two', ['two']);
  await save('U1.a', 'Page', ['page']);
  expect(await signals.hasDocuments(thread, MESSAGE)).toBe(true);
  expect(await signals.hasDocuments(thread, messageId('1700000000.00010'))).toBe(false);
  await collections.removeMessage(PLACE, MESSAGE);
  expect(keys().every((key) => key.includes('U1.a'))).toBe(true);
  await collections.remove(PLACE, 'U1.a');
  expect(keys()).toEqual([]);
  expect(await collections.hasDocuments(PLACE)).toBe(false);
  await save('U1.b', 'Page', ['page']);
  expect(await collections.hasDocuments(PLACE)).toBe(true);
  await save('U3.a', 'Page', ['page']);
  await collections.clear(PLACE);
  expect(keys()).toEqual([]);
  await save('U1.c', 'Page', ['page']);
  await save('U2.a', 'Other', ['other'], OTHER);
  await collections.removeAll(PLACE);
  expect(keys().every((key) => key.startsWith('KNOWLEDGE#slack#T1#C12 '))).toBe(true);
});

test('an interrupted removal leaves a document that is not found, so that it can be removed again', async () => {
  for (let succeeding = 0; succeeding < 12; succeeding += 1) {
    const { dynamo, settings, collections, save, search, keys } = start();
    await save('U1.a', 'Page', ['page']);
    let deletions = 0;
    const failing = {
      ...dynamo,
      delete: (input: Parameters<typeof dynamo.delete>[0]) => {
        deletions += 1;
        return deletions > succeeding ? Promise.reject(new Error('down')) : dynamo.delete(input);
      },
    };
    const broken = new Collections({ ...settings, dynamo: failing });
    await expect(broken.remove(PLACE, 'U1.a')).rejects.toThrow('down');
    expect(await search('page')).toEqual([]);
    const { ready, unfinished } = await collections.list(PLACE);
    expect([ready, unfinished.map(({ id }) => id)]).toEqual([[], ['U1.a']]);
    await collections.remove(PLACE, 'U1.a');
    expect(keys()).toEqual([]);
  }
});

/** A table that calls `before` ahead of each write, with its number. */
function interruptWrites(dynamo: CollectionsConfig['dynamo'], before: (nth: number) => Promise<void>) {
  let nth = 0;
  const then = async <T>(write: () => Promise<T>): Promise<T> => {
    nth += 1;
    await before(nth);
    return write();
  };
  return {
    ...dynamo,
    put: (...of: Parameters<typeof dynamo.put>) => then(() => dynamo.put(...of)),
    update: (...of: Parameters<typeof dynamo.update>) => then(() => dynamo.update(...of)),
    delete: (...of: Parameters<typeof dynamo.delete>) => then(() => dynamo.delete(...of)),
  };
}

test.each([['the slow one began before', -1] as const, ['the slow one began after', 1] as const])(
  'of two tasks that add the same page at the same time, the newer one is found with all of its text: %s',
  async (_, later) => {
    for (let at = 1; at <= 5; at += 1) {
      const { dynamo, collections, save, search, keys } = start();
      let writes = 0;
      const slow = interruptWrites(dynamo, async (nth) => {
        writes = nth;
        if (nth === at) await save('U1.b', 'Page', ['fast']);
      });
      await save('U1.a', 'Page', ['slow'], PLACE, { dynamo: slow, requestedAt: 1_700_000_000_000 + later });
      const { ready, unfinished } = await collections.list(PLACE);
      expect(writes).toBeGreaterThanOrEqual(5);
      const [id, word] = later < 0 ? ['U1.b', 'fast'] : ['U1.a', 'slow'];
      expect([at, ready.map((one) => one.id), unfinished]).toEqual([at, [id], []]);
      expect(await search(word)).toEqual([{ text: word, page: 1 }]);
      expect(keys().every((key) => key.includes(id))).toBe(true);
    }
  },
);

test('of two deliveries of one request, the one that read the page later replaces the other', async () => {
  for (const [first, second] of [
    ['U1.a', 'U1.b'],
    ['U1.b', 'U1.a'],
  ] as const) {
    const { dynamo, collections, save, search } = start();
    const broken = interruptWrites(dynamo, async (nth) => {
      if (nth === 4) throw new Error('down');
    });
    const interrupted = save(first, 'Page', ['earlier'], PLACE, {
      dynamo: broken,
      readAt: 1_700_000_001_000,
    });
    await expect(interrupted).rejects.toThrow('down');
    await save(second, 'Page', ['later'], PLACE, { readAt: 1_700_000_002_000 });
    const { ready, unfinished } = await collections.list(PLACE);
    expect([ready.map(({ id }) => id), unfinished]).toEqual([[second], []]);
    expect(await search('later')).toEqual([{ text: 'later', page: 1 }]);
  }
});

test('a document that is removed while it is stored stays removed, also when its task is delivered again', async () => {
  for (let at = 2; at <= 4; at += 1) {
    const { dynamo, collections, save, keys, removed } = start();
    const slow = interruptWrites(dynamo, async (nth) => {
      if (nth === at) await collections.remove(PLACE, 'U1.a');
    });
    await save('U1.a', 'Page', ['page'], PLACE, { dynamo: slow });
    await save('U1.a', 'Page', ['page']);
    expect([at, keys()]).toEqual([at, []]);
    expect(new Set(removed)).toEqual(new Set(['U1.a']));
  }
});

test('the second removal takes what a dead process stored late', async () => {
  const { dynamo, collections, save, keys } = start();
  await save('U1.a', 'Handbook', MANY);
  const stored = dynamo.items('conversations');
  await collections.remove(PLACE, 'U1.a');
  for (const Item of stored.filter(({ body }) => body !== undefined))
    await dynamo.put({ TableName: 'conversations', Item });
  expect(keys()).toHaveLength(stored.length - 1);
  await collections.removeParts(PLACE, 'U1.a');
  expect(keys()).toEqual([]);
});

test('writes leave the table to answers: at most 150 units a second', async () => {
  const { save, slept, dynamo } = start();
  await save('U1.a', 'Handbook', MANY);
  const bytes = dynamo.items('conversations').reduce((sum, { body }) => sum + (body?.B?.byteLength ?? 0), 0);
  const seconds = slept.reduce((sum, ms) => sum + ms, 0) / 1_000;
  expect(seconds).toBeGreaterThanOrEqual(bytes / 1_024 / 150);
});

test('an export has the passages of a person, and no index of them', async () => {
  const { save, config } = start();
  await save('U1.a', 'Handbook', ['Sixteen weeks']);
  const exports = new Exports({ ...config, scan: async () => ({}), isIndexComplete: async () => true });
  const { entries } = await exports.page({ platform: 'slack', workspace: T1, user: ADA });
  expect(JSON.stringify(entries)).toContain('Sixteen weeks');
  expect(entries.map(({ is }) => String(is).slice(0, 4))).toEqual(['DOC#', 'TEXT']);
});

test('an export has only the address of a message that a bot wrote: it may repeat the words of others', async () => {
  const { save, collections, config } = start();
  await save('U1.a', 'Sixteen weeks', ['Sixteen weeks'], PLACE, { isFromBot: true });
  const { ready } = await collections.list(PLACE);
  expect(ready).toMatchObject([{ title: 'Sixteen weeks', isFromBot: true }]);
  const exports = new Exports({ ...config, scan: async () => ({}), isIndexComplete: async () => true });
  const { entries } = await exports.page({ platform: 'slack', workspace: T1, user: ADA });
  expect(entries[0]).toMatchObject({ url: 'https://example.com/m' });
  expect(JSON.stringify(entries)).not.toContain('Sixteen');
});
