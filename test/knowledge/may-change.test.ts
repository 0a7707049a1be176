import { expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../shared/domain/index.ts';
import { findFullRefusal } from '../../shared/knowledge/may-change.ts';
import { knowledgeHarness, MESSAGE } from './knowledge-harness.ts';

const [ADA, T1] = [userId('U1'), workspaceId('T1')];

const document = (index: number, passages: number) => ({
  id: `U${index}.a`,
  kind: 'page' as const,
  title: '',
  url: '',
  by: ADA,
  byWorkspace: T1,
  requestedAt: 0,
  lengths: Array.from({ length: passages }, () => 1),
});

const collection = (count: number, passages: number) => ({
  ready: Array.from({ length: count - 1 }, (_, index) => document(index, passages)),
  unfinished: [document(count, passages)],
});

const refusal = (count: number, passages: number, added: number, replaced = '') =>
  findFullRefusal(collection(count, passages), added, ({ id }) => id === replaced)?.[0];

test('a collection is full at a hundred documents or 4,000 passages, but one of them can be added again', () => {
  expect(refusal(99, 1, 1)).toBeUndefined();
  expect(refusal(100, 1, 1)).toBe('knowledge.full');
  expect(refusal(100, 1, 1, 'U3.a')).toBeUndefined();
  expect(refusal(8, 450, 400)).toBeUndefined();
  expect(refusal(8, 450, 401)).toBe('knowledge.full');
  expect(refusal(8, 450, 500, 'U3.a')).toBeUndefined();
});

test('a message of a private thread of a public channel is not added: everybody in the channel would find it', async () => {
  const { add, turnOn, collections } = knowledgeHarness({
    isPublicChannel: async ({ root }) => root === undefined,
  });
  await turnOn();
  expect(await add()).toContain('That message is in a private thread');
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
});

test.each([
  ['everybody reads both', true],
  ['the channel is private as well', false],
])('a message is added where %s', async (_, isPublic) => {
  const { add, turnOn } = knowledgeHarness({ isPublicChannel: async () => isPublic });
  await turnOn();
  expect(await add()).toContain('is added');
});
