import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { channelId, messageId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, Posts } from '../../../shared/storage/index.ts';
import { ERASE_BY_SCAN, startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const DAY_MS = 86_400_000;
const MESSAGE = messageId('1790000001.000100');
let now = 0;
/** Each test has a workspace of its own. */
let nth = 0;
beforeEach(() => {
  nth += 1;
  now = 1_790_000_000_000;
});

function harness() {
  const { dynamo, client } = tables;
  const posts = new Posts({ dynamo, table: 'conversations', days: 30, now: () => now });
  const place = {
    platform: 'slack',
    workspace: workspaceId(`T${nth}`),
    channel: channelId('C1'),
  } as const;
  const scan = (input: Parameters<typeof client.scan>[0]) => client.scan(input);
  const erasure = new Erasure({ ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations' });
  return { posts, place, erasure };
}

test('a post is known from the second attempt on, with its message once Slack returned it', async () => {
  const { posts, place } = harness();
  expect(await posts.begin(place, 'card-1')).toBeUndefined();
  expect(await posts.begin(place, 'card-1')).toEqual({ message: undefined, files: [] });
  await posts.savePosted(place, 'card-1', MESSAGE);
  expect(await posts.begin(place, 'card-1')).toEqual({ message: MESSAGE, files: [] });
  expect(await posts.begin(place, 'card-2')).toBeUndefined();
  expect(await posts.find({ ...place, channel: channelId('C2') }, 'card-1')).toBeUndefined();
});

test('only the last of the attempts to post saves the message', async () => {
  const { posts, place } = harness();
  const first = await posts.beginAttempt(place, 'card-1');
  const second = await posts.beginAttempt(place, 'card-1');
  expect([first?.isFirst, second?.isFirst]).toEqual([true, false]);
  if (!first || !second) throw new Error('no attempt');
  await posts.saveAttempt(place, 'card-1', first, MESSAGE);
  const third = await posts.beginAttempt(place, 'card-1');
  expect(third?.isFirst).toBe(false);
  if (!third) throw new Error('no attempt');
  await posts.saveAttempt(place, 'card-1', third, MESSAGE);
  expect(await posts.beginAttempt(place, 'card-1')).toBeUndefined();
  now += 8 * DAY_MS;
  expect((await posts.beginAttempt(place, 'card-1'))?.isFirst).toBe(true);
});

test('files are recorded before their bytes are sent', async () => {
  const { posts, place } = harness();
  expect(await posts.find(place, 'upload')).toBeUndefined();
  await Promise.all(['F1', 'F2'].map((file) => posts.addFile(place, 'upload', file)));
  const { files = [] } = (await posts.find(place, 'upload')) ?? {};
  expect(files.toSorted()).toEqual(['F1', 'F2']);
});

test('the files of a message are known until its retention ends, or it is deleted', async () => {
  const { posts, place } = harness();
  expect(await posts.findFiles(place, MESSAGE)).toBeUndefined();
  await posts.setFiles(place, MESSAGE, ['F1']);
  now += 29 * DAY_MS;
  expect(await posts.findFiles(place, MESSAGE)).toEqual(['F1']);
  await posts.setFiles(place, MESSAGE, []);
  expect(await posts.findFiles(place, MESSAGE)).toEqual([]);
  await posts.remove(place, MESSAGE);
  expect(await posts.findFiles(place, MESSAGE)).toBeUndefined();
  await posts.setFiles(place, MESSAGE, ['F1']);
  now += 31 * DAY_MS;
  expect(await posts.findFiles(place, MESSAGE)).toBeUndefined();
});

test('an expired record counts as absent while DynamoDB still has it', async () => {
  const { posts, place } = harness();
  await posts.begin(place, 'card-1');
  await posts.savePosted(place, 'card-1', MESSAGE);
  now += 8 * DAY_MS;
  expect(await posts.begin(place, 'card-1')).toBeUndefined();
  expect(await posts.begin(place, 'card-1')).toEqual({ message: undefined, files: [] });
});

test('keys are stored as hashes, and erased with the workspace', async () => {
  const { posts, place, erasure } = harness();
  await posts.begin(place, 'voice#grandmother.m4a');
  await posts.setFiles(place, MESSAGE, ['F1']);
  const { Items = [] } = await tables.client.scan({ TableName: 'conversations' });
  const own = Items.filter((item) => item['pk']?.S === `POSTED#slack#T${nth}#C1`);
  expect(own).toHaveLength(2);
  expect(JSON.stringify(own)).not.toContain('grandmother');
  const scope = { platform: 'slack', workspace: place.workspace } as const;
  await erasure.page(scope, undefined, { eraseJobs: () => Promise.resolve() });
  expect(await posts.find(place, 'voice#grandmother.m4a')).toBeUndefined();
  expect(await posts.findFiles(place, MESSAGE)).toBeUndefined();
});
