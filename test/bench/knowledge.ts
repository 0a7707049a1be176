import { channelId, userId, workspaceId } from '../../shared/domain/index.ts';
import {
  indexPassages,
  listTerms,
  rankPassages,
  splitIntoPassages,
} from '../../shared/knowledge/rules/index.ts';
import { Collections, type Dynamo } from '../../shared/storage/index.ts';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { percentile, type Row } from './report-table.ts';

const PLACE = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
const [ADA, KB, DOCUMENTS] = [userId('U1'), 1_024, 10];
const random = createSeededRandom(7);
/** Words as often as in a language (Zipf), of about six letters. */
const WORDS = Array.from({ length: 20_000 }, (_, index) => `${index.toString(36)}word`.slice(0, 7));
const word = (): string => WORDS[Math.floor(WORDS.length ** random()) - 1] ?? '';
const text = (words: number): string =>
  Array.from({ length: words }, word)
    .join(' ')
    .replaceAll(/(.{60,90}) /gu, '$1. ');

type Item = Record<string, AttributeValue>;

/** Processor time of this process (ms). */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** A collection as large as it may be: 4,000 passages in ten documents. What does adding one and searching cost? */
export async function knowledge(): Promise<Row[]> {
  const memory = createMemoryDynamo();
  const read = { bytes: 0, requests: 0 };
  const dynamo: Dynamo = {
    ...memory,
    get: (input) => count(memory.get(input), ({ Item }) => (Item ? [Item] : [])),
    query: (input) => count(memory.query(input), ({ Items = [] }) => Items),
  };
  const count = async <T>(reading: Promise<T>, itemsOf: (result: T) => readonly Item[]): Promise<T> => {
    const result = await reading;
    read.requests += 1;
    read.bytes += itemsOf(result).reduce((sum, item) => sum + sizeOf(item), 0);
    return result;
  };
  let pausedMs = 0;
  const collections = new Collections({
    dynamo,
    table: 'conversations',
    now: () => 0,
    sleep: async (ms) => void (pausedMs += ms),
    enqueueSecondRemoval: () => Promise.resolve(),
  });
  const adding: number[] = [];
  for (let i = 0; i < DOCUMENTS; i += 1) {
    const { passages } = splitIntoPassages([{ text: text(64_000) }]);
    const startedAt = cpuMs();
    const index = indexPassages(`Document ${i}`, passages.slice(0, 400));
    const [id, title] = [`U${i}.a`, `Document ${i}`];
    const document = {
      id,
      kind: 'page' as const,
      title,
      url: 'https://a.example/',
      by: ADA,
      byWorkspace: PLACE.workspace,
    };
    await collections.save(
      PLACE,
      { ...document, requestedAt: 0, lengths: index.lengths },
      passages.slice(0, 400),
      index,
    );
    adding.push(cpuMs() - startedAt);
  }
  const stored = memory.items('conversations').reduce((sum, item) => sum + sizeOf(item), 0);
  const searching: number[] = [];
  Object.assign(read, { bytes: 0, requests: 0 });
  for (let i = 0; i < 50; i += 1) {
    const startedAt = cpuMs();
    const terms = listTerms(text(6));
    const { ready } = await collections.list(PLACE);
    const ranked = rankPassages(terms, await collections.findTerms(PLACE, ready, terms), 5);
    await Promise.all(ranked.map(({ id, position }) => collections.findPassage(PLACE, id, position)));
    searching.push(cpuMs() - startedAt);
  }
  return [
    { what: 'knowledge: processor time to add 400 passages', value: percentile(adding, 0.5), unit: 'ms' },
    { what: 'knowledge: pauses while they are written', value: pausedMs / DOCUMENTS, unit: 'ms' },
    { what: 'knowledge: stored for 4,000 passages', value: stored / KB, unit: 'KB' },
    {
      what: 'knowledge: processor time of a search of six words',
      value: percentile(searching, 0.5),
      unit: 'ms',
      limit: 100,
    },
    { what: 'knowledge: the slowest of 50', value: Math.max(...searching), unit: 'ms' },
    { what: 'knowledge: read for a search', value: read.bytes / 50 / KB, unit: 'KB', limit: 1_000 },
    { what: 'knowledge: requests of a search', value: read.requests / 50, unit: 'requests', limit: 16 },
  ];
}

const sizeOf = (item: Item): number =>
  Object.values(item).reduce((sum, { B, S = '' }) => sum + (B?.byteLength ?? S.length), 0);
