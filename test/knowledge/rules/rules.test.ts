import { expect, test } from '@jest/globals';
import { array, assert, property, string } from 'fast-check';
import {
  indexPassages,
  listSearchedTerms,
  listTerms,
  MAX_PASSAGES,
  rankPassages,
  SHARDS,
  getShard,
  splitIntoPassages,
  toShards,
} from '../../../shared/knowledge/rules/index.ts';

const matches = (query: string, text: string): boolean => {
  const terms = new Set(listTerms(text));
  return listSearchedTerms(query, 16).some((term) => terms.has(term));
};

test.each([
  ['en', 'policy', 'Our POLICIES.'],
  ['en', 'vacation days', 'A day of vacation'],
  ['en', 'person’s', 'every person'],
  ['de', 'Urlaubstage', 'die Zahl der Urlaubstagen'],
  ['de', 'strasse', 'Hauptstraße: Straße'],
  ['fr', 'congé', 'les CONGÉS payés'],
  ['fr', 'entreprise', 'les valeurs de l’entreprise'],
  ['fr', "l'entreprise", 'Notre entreprise'],
  ['fr', "jusqu'au", 'au bureau'],
  ['fr', 'catégorie', 'les catégories'],
  ['fr', 'catégories', 'une catégorie'],
  ['fr', 'garanties', 'la garantie'],
  ['fr', 'série', 'Séries'],
  ['it', 'azienda', "i valori dell'azienda"],
  ['en', 'cookie', 'All cookies.'],
  ['en', 'cookies', 'A cookie'],
  ['en', 'don’t', "What you don't do"],
  ['en', 'Dell', "Dell's laptops"],
  ['es', 'política', 'las politicas de viaje'],
  ['pt', 'férias', 'As férias anuais'],
  ['ja', '休暇', '年次有給休暇の日数'],
  ['ja', 'ガイド', '半角のｶﾞｲﾄﾞ'],
  ['ko', '휴가', '연차휴가는 15일입니다'],
  ['zh', '假期', '员工的假期政策'],
  ['th', 'วันหยุด', 'จำนวนวันหยุดประจำปี'],
])('%s: “%s” is found in “%s”', (_language, query, text) => {
  expect(matches(query, text)).toBe(true);
});

test.each([
  ['car', 'scar carton'],
  ['か', 'が'],
  ['休日', '休暇 日本'],
])('“%s” is not found in “%s”', (query, text) => {
  expect(matches(query, text)).toBe(false);
});

test.each([
  ["l'entreprise", "l'entreprise"],
  ["l'entreprise", 'l’entreprise'],
  ["don't", 'don’t'],
  ['l’entreprise', 'entrepris'],
])('the query “%s” finds the term “%s”, as earlier versions stored it too', (query, term) => {
  expect(listSearchedTerms(query, 16)).toContain(term);
});

test('of a query, so many different words are searched for, with all of their forms', () => {
  expect(listSearchedTerms('cookies cookie categories holiday holidays, vacation', 3)).toEqual([
    'cooky',
    'cooki',
    'category',
    'categori',
  ]);
  expect(listSearchedTerms("the l'hôtel the 休日", 3)).toEqual([
    'the',
    'hotel',
    "l'hotel",
    'l’hotel',
    '休日',
  ]);
});

test('a term has at most 40 characters', () => {
  expect(listTerms('x'.repeat(500))).toEqual(['x'.repeat(40)]);
});

test('passages keep every word in order, end at paragraphs or sentences, and never cross a page', () => {
  const sentence = 'The office opens at nine and closes at six on every working day. ';
  const pages = [
    { text: `${sentence.repeat(10)}\n\n${sentence.repeat(10)}`, page: 1 },
    { text: 'Short page.', page: 2 },
  ];
  const { passages, isComplete } = splitIntoPassages(pages);
  expect(isComplete).toBe(true);
  expect(passages.map(({ page }) => page)).toEqual([1, 1, 2]);
  expect(passages[0]?.text).toBe(sentence.repeat(10).trim());
  expect(passages.at(-1)?.text).toBe('Short page.');
});

const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

test('any text: no passage is longer than 1,000 characters, and no letter is lost', () => {
  assert(
    property(array(string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 3 }), (texts) => {
      const { passages } = splitIntoPassages(texts.map((text) => ({ text })));
      expect(passages.every(({ text }) => text.length <= 1_000 && text.isWellFormed())).toBe(true);
      expect(letters(passages.map(({ text }) => text).join(''))).toBe(letters(texts.join('')));
    }),
    { numRuns: 30 },
  );
});

test('a document has at most 500 passages, and says that it has more', () => {
  const { passages, isComplete } = splitIntoPassages([{ text: 'word '.repeat(120_000) }]);
  expect([passages.length, isComplete]).toEqual([MAX_PASSAGES, false]);
});

test('a text of hundreds of thousands of marks is indexed in linear time', () => {
  for (const text of ['.', "a'", '́', 'ー', '\n', '…'].map((part) => part.repeat(200_000)))
    expect(splitIntoPassages([{ text }]).passages.length).toBeLessThanOrEqual(MAX_PASSAGES);
  expect(listTerms("a'".repeat(200_000)).length).toBe(1);
});

test('the parts of an index hold all of it, each term in its own part', () => {
  const { postings } = indexPassages('Handbook', [
    { text: 'Leave is leave. __proto__ constructor' },
    { text: 'Travel' },
  ]);
  const parts = toShards(postings);
  const all = [...parts].flatMap(([shard, terms]) =>
    Object.entries(terms).map(([term, list]) => [shard, term, list] as const),
  );
  expect(all.every(([shard, term]) => getShard(term) === shard && shard < SHARDS)).toBe(true);
  expect(new Map(all.map(([, term, list]) => [term, list]))).toEqual(postings);
  // “leave” twice in the first passage; the title in both.
  expect(postings.get('leav')).toEqual([0, 2]);
  expect(postings.get('handbook')).toEqual([0, 1, 1, 1]);
});

const indexed = (id: string, title: string, texts: readonly string[]) => ({
  id,
  ...indexPassages(
    title,
    texts.map((text) => ({ text })),
  ),
});

test('the passage with the rare words is first, whatever the usual words', () => {
  const documents = [
    indexed('a', 'Handbook', [
      'the office is the place of the team',
      'parental leave is sixteen weeks',
      'the dog of the office',
    ]),
    indexed('b', 'Travel', ['the train of the team', 'parental guidance of the film']),
  ];
  const ranked = rankPassages(listTerms('the parental leave'), documents, 3);
  expect(ranked[0]).toMatchObject({ id: 'a', position: 1 });
  expect(ranked.map(({ id, position }) => `${id}${position}`)).not.toContain('a0');
  expect(rankPassages(listTerms('submarine'), documents, 3)).toEqual([]);
  expect(rankPassages(listTerms('travel'), documents, 5).map(({ id }) => id)).toEqual(['b', 'b']);
  expect(rankPassages(['x'], [], 5)).toEqual([]);
});

test('a repeated word counts more, but not without end, and a long passage less', () => {
  const documents = [
    indexed('a', '', ['refund', 'refund refund refund refund', `refund ${'other words '.repeat(10)}`]),
    indexed('b', '', ['nothing of the kind', 'nothing else', 'nothing at all']),
  ];
  const order = rankPassages(['refund'], documents, 5);
  expect(order.map(({ position }) => position)).toEqual([1, 0, 2]);
  expect((order[0]?.score ?? 0) / (order[1]?.score ?? 1)).toBeLessThan(2);
});
