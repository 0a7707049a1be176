import { expect, test } from '@jest/globals';
import { knowledgeHarness } from './knowledge-harness.ts';

test.each([
  ['東京本社の来年度における従業員向けの福利厚生制度に関する休暇の日数', '休暇は年に二十日です。'],
  ['关于总部员工下一年度福利制度里面每个部门都适用的带薪假期天数', '假期是每年二十天。'],
])('a long query without spaces is searched to its end: %s', async (query, text) => {
  const { add, turnOn, search } = knowledgeHarness();
  await turnOn();
  await add({ text });
  expect((await search(query))?.search?.results).toHaveLength(1);
});
