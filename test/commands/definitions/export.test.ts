import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { runExport } from '../../../shared/privacy/export.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { noteKey } from '../../../shared/storage/interactions/front-store.ts';
import { ExportLimit, Jobs, Recordings } from '../../../shared/storage/index.ts';
import { fakeInteraction, typedCommand } from '../command-harness.ts';

import { BY, exportHarness, OTHER, THREAD } from './export-harness.ts';

test('me: exports questions, answers, settings, presets and recordings; of other people only counts', async () => {
  const { call, ask, queued, files, stage, dynamo, time } = exportHarness();
  await ask('1.1', BY);
  await ask('1.2', OTHER);
  await call(typedCommand('settings footer yes'));
  await call(typedCommand('persona save pirate Talk like one.'));
  await call(typedCommand('persona save shy Whisper.'), OTHER);
  const store = { dynamo, table: 'conversations', days: 30, now: time.now };
  const recordings = new Recordings(store);
  const word = { fromMs: 3, toMs: 9, text: 'Heard word by word' };
  for (const [message, by] of [
    ['1.1', 'U1'],
    ['1.2', 'U2'],
  ] as const) {
    const ref = { thread: THREAD, message: messageId(message), file: 'F1' };
    await recordings.begin(ref, userId(by), THREAD.workspace);
    await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9, text: `Heard ${by}`, words: [word] });
  }
  await call(typedCommand('export'));
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('collecting');
  await queued();
  const text = stage.handed[0]?.text ?? '';
  for (const content of ['Question 1.1', 'An answer.', '"footer": true', 'Talk like one.', 'Heard U1'])
    expect(text).toContain(content);
  for (const others of ['Question 1.2', 'Whisper', 'Heard U2', 'word by word'])
    expect(text).not.toContain(others);
  expect(files()[0]).toMatchObject({ part: 1, complete: true });
  expect(stage.handed[0]).toMatchObject({ interaction: { by: BY }, file: { name: 'parley-person.json' } });
});

test.each([
  ['person', ['mine', 'mine elsewhere', undefined]],
  ['thread', ['mine', 'of somebody else', 'again by me']],
] as const)('videos are in it, without the words of others in my own: of a %s', async (scope, prompts) => {
  const { context, dynamo, time, files } = exportHarness();
  const jobs = new Jobs({ dynamo, table: 'conversations', days: 30, now: time.now });
  const elsewhere = { ...THREAD, root: messageId('2.1') };
  for (const [prompt, by, thread] of [
    ['mine', BY, THREAD],
    ['mine elsewhere', BY, elsewhere],
    ['of somebody else', OTHER, THREAD],
    ['again by me', BY, THREAD],
  ] as const) {
    const { user, workspace } = by;
    const picture = { id: 'P1', name: 'p.png', mimetype: 'image/png', bytes: 9 };
    const who = { platform: 'slack' as const, workspace, user };
    const job = { by: who, thread, requestMessage: messageId('1.1'), state: 'delivered' as const };
    const operation = prompt === 'mine' ? ('text-to-image' as const) : undefined;
    const promptAuthors = prompt === 'again by me' ? [OTHER.user] : undefined;
    const request = { ...job, operation, prompt, promptAuthors, model: 'm', picture, key: prompt };
    await jobs.save(await jobs.create(prompt, request), { card: messageId('1.2') });
  }
  const interaction = fakeInteraction(typedCommand('export'), { id: 'call-1', by: BY });
  const task = { v: 1, kind: 'export', thread: THREAD, message: messageId('call-1'), round: 0 } as const;
  const asker = { asker: BY.user, askerWorkspace: BY.workspace };
  const delivery = { deadline: time.now() + 60_000, isRedelivery: false, isLast: false };
  await runExport({ ...task, ...asker, scope, interaction }, { ...context, videos: { jobs } }, delivery);
  const videos = files()[0]?.entries.filter((one) => one.in === 'videos') ?? [];
  expect(new Set(videos.map(({ prompt }) => prompt))).toEqual(new Set(prompts));
  for (const { prompt, operation } of videos)
    expect(operation).toBe(prompt === 'mine' ? 'text-to-image' : 'image-to-video');
});

test.each([
  ['those who did it', BY, true],
  ['others who export the thread', OTHER, false],
] as const)('what people did privately in a thread is exported for %s', async (_, by, isThere) => {
  const { context, dynamo, time, files, stage } = exportHarness();
  const store = { dynamo, table: 'conversations', days: 30, now: time.now };
  const [user, place] = [BY.user, { ...THREAD, user: BY.user }];
  // The message for which they opened a modal: of somebody else, and their own.
  for (const [n, author] of [OTHER.user, BY.user].entries()) {
    const note = { thread: THREAD, id: messageId('1.1'), author, text: `Asked about ${n}`, attachments: [] };
    const key = noteKey(`modal-${n}`, place);
    await dynamo.put({
      TableName: 'conversations',
      Item: { ...key, by: { S: user }, note: { S: JSON.stringify(note) } },
    });
  }
  const jobs = new Jobs(store);
  const who = { platform: 'slack' as const, workspace: BY.workspace, user };
  const job = { by: who, thread: THREAD, requestMessage: messageId('1.1'), model: 'm' };
  for (const state of ['proposed', 'requested', 'cancelled', 'failed', 'running'] as const) {
    const [secret, open] = [`Private: ${state}`, `Public: ${state}`];
    await jobs.create(secret, { ...job, state, prompt: secret, key: secret });
    const publicJob = await jobs.create(open, { ...job, state, prompt: open, key: open });
    await jobs.save(publicJob, { card: messageId('1.2') });
  }
  const interaction = fakeInteraction(typedCommand('export thread'), { id: 'call-1', by });
  const task = { v: 1, kind: 'export', thread: THREAD, message: messageId('call-1'), round: 0 } as const;
  const asker = { asker: by.user, askerWorkspace: by.workspace };
  const delivery = { deadline: time.now() + 60_000, isRedelivery: false, isLast: false };
  await runExport(
    { ...task, ...asker, scope: 'thread', interaction },
    { ...context, videos: { jobs } },
    delivery,
  );
  const text = stage.handed[0]?.text ?? '';
  for (const words of ['Asked about 0', 'Asked about 1'])
    expect([words, text.includes(words)]).toEqual([words, isThere]);
  const prompts = files()[0]?.entries.map(({ prompt }) => String(prompt)) ?? [];
  expect(prompts.filter((prompt) => prompt.startsWith('Public: '))).toHaveLength(5);
  expect(prompts.filter((prompt) => prompt.startsWith('Private: '))).toHaveLength(isThere ? 5 : 0);
});

test.each(['me', 'thread'] as const)('what cannot be read is passed over, and named: %s', async (what) => {
  const { call, ask, queued, files, stage, dynamo } = exportHarness();
  await ask('1.1', BY);
  await ask('1.2', BY);
  const item = dynamo.items('conversations').find(({ id }) => id?.S === '1.1') ?? {};
  const body = { B: Buffer.from('not packed at all') };
  await dynamo.put({ TableName: 'conversations', Item: { ...item, body } });
  await call(typedCommand(`export ${what}`), BY, { thread: THREAD });
  await queued();
  const turns = files()[0]?.entries.filter(({ is }) => is.startsWith('TURN#')) ?? [];
  expect(turns.map((one) => one['body'])).toMatchObject([{ unreadable: true }, { question: 'Question 1.2' }]);
  expect(stage.handed[0]?.file.words).toContain(`\`/parley forget ${what}\` removes it.`);
});

test('another workspace cannot export it', async () => {
  const { call, ask, queued, files } = exportHarness();
  await ask('1.1', BY);
  await call(typedCommand('export'), BY, { workspace: workspaceId('T2') });
  await queued();
  expect(files()[0]?.entries).toEqual([]);
});

test('this thread: exports everything in it, from the menu of a message; a command without a thread says so', async () => {
  const { call, ask, queued, stage } = exportHarness();
  await ask('1.1', BY);
  await ask('1.2', OTHER);
  await ask('2.1', BY, { ...THREAD, root: messageId('2.1') });
  await call(typedCommand('export thread'));
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('"tone":"bad"');
  const message = { thread: THREAD, id: messageId('1.1'), author: BY.user, text: '', attachments: [] };
  await call({ kind: 'on-message', name: 'export', message });
  await queued();
  const text = stage.handed[0]?.text ?? '';
  expect(text).toMatch(/Question 1\.1[\s\S]*Question 1\.2/u);
  expect(text).not.toContain('Question 2.1');
});

test('an export that takes longer than a delivery continues in further tasks and files', async () => {
  const { call, ask, queued, files } = exportHarness(2);
  for (const id of ['1.1', '1.2', '1.3', '1.4', '1.5']) await ask(id, BY);
  await call(typedCommand('export'));
  await queued(10);
  expect(files().length).toBeGreaterThan(1);
  expect(files().map(({ complete }) => complete)).toEqual([
    ...files()
      .slice(1)
      .map(() => false),
    true,
  ]);
  expect(files().flatMap(({ entries }) => entries.filter((one) => one.is.startsWith('TURN#')))).toHaveLength(
    5,
  );
});

test.each([
  ['a page', 100, 60, 3],
  ['two pages of two tasks', 15, 10, 4],
])(
  '%s of more than a file may have is sent in several files, of which each can be uploaded',
  async (_, pageSize, seconds, parts) => {
    const { call, queued, files, stage, dynamo } = exportHarness(pageSize);
    const names = Array.from({ length: 30 }, (__, n) => `LARGE#${n}`);
    for (const sk of names) {
      const Item = {
        pk: { S: 'slack#T1#C1#1.1' },
        sk: { S: sk },
        by: { S: 'U1' },
        words: { S: 'x'.repeat(390_000) },
      };
      await dynamo.put({ TableName: 'conversations', Item });
    }
    await call(typedCommand('export'));
    await queued(seconds);
    expect(files().map(({ part, complete }) => [part, complete])).toEqual(
      Array.from({ length: parts }, (__, n) => [n + 1, n + 1 === parts]),
    );
    expect(new Set(stage.handed.map(({ file: { name } }) => name)).size).toBe(parts);
    for (const {
      file: { bytes },
    } of stage.handed)
      expect(bytes).toBeLessThan(10 * 1024 * 1024);
    expect(
      files()
        .flatMap(({ entries }) => entries.map(({ is }) => is))
        .filter((is) => is.startsWith('LARGE')),
    ).toHaveLength(30);
  },
);

test('contains no tokens, ciphertexts, keys or expired items', async () => {
  const { call, ask, queued, dynamo, stage, time } = exportHarness();
  await ask('1.1', BY);
  const pk = { S: 'slack#T1#C1#1.1' };
  const put = (sk: string, more: object) =>
    dynamo.put({ TableName: 'conversations', Item: { pk, sk: { S: sk }, by: { S: 'U1' }, ...more } });
  await put('TICKET#1.1', { token: { S: 'secret-1' } });
  await put('OTHER', { sealed: { B: new Uint8Array([1]) }, token: { S: 'secret-2' } });
  await put('OLD', { text: { S: 'long gone' }, ttl: { N: String(time.now() / 1_000 - 1) } });
  await call(typedCommand('export me'));
  await queued();
  expect(stage.handed[0]?.text).toContain('Question 1.1');
  expect(stage.handed[0]?.text).not.toMatch(/secret|encrypted|long gone/u);
});

test('if the platform rejects the file, the person is told why', async () => {
  const { call, queued, stage } = exportHarness();
  stage.refuse.sendFilePrivately = new FileUnavailableError(['files.upload.off']);
  await call(typedCommand('export'));
  await queued();
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('switched off');
});

test('while exports scan the table, one per hour is allowed; a refusal says when the next one is', async () => {
  const at = exportHarness();
  const limit = { dynamo: at.dynamo, table: 'conversations', now: at.time.now };
  const exportLimit = new ExportLimit({ ...limit, isIndexComplete: () => Promise.resolve(false) });
  Object.assign(at.context, { exportLimit });
  await at.ask('1.1', BY);
  await at.call(typedCommand('export'));
  await at.queued();
  await at.call(typedCommand('export'));
  await at.queued();
  expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toMatch(/the next one at \d\d:\d\d UTC/u);
  await at.call(typedCommand('export'), OTHER);
  await at.queued();
  expect(at.files()).toHaveLength(2);
});

test('while another task scans the table, an export waits and sends what it has collected', async () => {
  const at = exportHarness(2);
  let requestCount = 0;
  const scanLease = {
    take: async () => (requestCount += 1) !== 1 && requestCount !== 3,
    release: async () => undefined,
  };
  Object.assign(at.context, { scanLease });
  for (const id of ['1.1', '1.2', '1.3', '1.4', '1.5']) await at.ask(id, BY);
  await at.call(typedCommand('export'));
  const [sent] = at.queue.sent;
  await at.queued();
  expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('Yours starts after it');
  expect(at.files()).toHaveLength(0);
  // The queue brings it again.
  at.queue.sent.push(...(sent ? [sent] : []));
  await at.queued();
  expect(at.files().map(({ part, complete }) => [part, complete])).toEqual([
    [1, false],
    [2, true],
  ]);
  const turns = at.files().flatMap(({ entries }) => entries.filter((one) => one.is.startsWith('TURN#')));
  expect(turns).toHaveLength(5);
});

test('thread: who may not read past messages in Discord gets their own data and their own conversation, not a thread', async () => {
  const { call, queued, stage, files } = exportHarness();
  const at = { ...THREAD, platform: 'discord', workspace: workspaceId('11') } as const;
  const by = { ...BY, workspace: at.workspace };
  const options: Record<string, string> = { what: 'thread' };
  const command = { kind: 'command' as const, name: 'export', options, attachments: [] };
  const mayNot = { ...by, mayReadHistory: false as const };
  const place = { platform: at.platform, workspace: at.workspace };
  await call(command, mayNot, { ...place, thread: at });
  await queued();
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('You may not read the past messages');
  expect(files()).toEqual([]);
  await call(command, mayNot, { ...place, ownThread: { ...at, root: messageId('cU1') } });
  await call({ ...command, options: {} }, mayNot, { ...place, thread: at });
  await call(command, by, { ...place, thread: at });
  await queued();
  expect(files()).toHaveLength(3);
});
