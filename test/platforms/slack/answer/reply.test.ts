import { describe, expect, test } from '@jest/globals';
import { channelId, integrationUser, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { metadataOfPart, openFakeSlack, QUESTION, visibleText, turn } from '../fake-slack.ts';

describe('a new answer', () => {
  test('starts a stream with the first sentence before write returns', () => {
    const { slack, platform } = openFakeSlack();
    const text = 'Hello, here is what I have found about that. ';
    platform.reply(turn, []).write(text);
    expect(slack.calls).toMatchObject([
      {
        method: 'chat.startStream',
        args: {
          channel: 'C0',
          thread_ts: QUESTION,
          chunks: [{ type: 'markdown_text', text }],
          recipient_team_id: 'T0OTHER',
          recipient_user_id: 'U0ADA',
        },
      },
    ]);
    expect(slack.calls[0]?.args).not.toHaveProperty('unfurl_links');
  });

  test.each([
    ['an integration', { asker: integrationUser({ id: '0123456789abcdef' }) }],
    ['a workflow, whose messages have the id of a bot alone', { asker: userId('B0WORKFLOW') }],
    [
      'a person whose workspace of the organization is unknown',
      { askerWorkspace: workspaceId('E0ORG00000') },
    ],
  ])('for %s grows by edits in a channel, where Slack streams only to people', async (_, asker) => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply({ ...turn, ...asker }, []);
    reply.write('Hello, here is what I have found. ');
    await time.until(reply.posted());
    reply.write('Some more of it.');
    await time.advance(2_000);
    expect(slack.methods()).toEqual(['chat.postMessage', 'chat.update']);
    await time.until(reply.publish('Hello, here is what I have found. Some more of it.'));
    expect(slack.methods()).not.toContain('chat.startStream');
    expect(visibleText(slack)).toBe('Hello, here is what I have found. Some more of it.');
  });

  test('is streamed in a direct chat also where the workspace of the person is unknown, and names no recipient', () => {
    const { slack, platform } = openFakeSlack();
    const thread = { ...turn.thread, channel: channelId('D0') };
    platform.reply({ ...turn, thread, askerWorkspace: workspaceId('E0ORG00000') }, []).write('Hello');
    expect(slack.methods()).toEqual(['chat.startStream']);
    expect(Object.keys(slack.calls[0]?.args ?? {}).toSorted()).toEqual(['channel', 'chunks', 'thread_ts']);
  });

  test('appends new words and closes the stream with the rest and the metadata', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await time.until(reply.posted());
    reply.write('two ');
    await time.advance(2_000);
    reply.write('three.');
    const ids = await time.until(reply.publish('One two three.'));
    expect(slack.messages).toMatchObject([
      { ts: ids[0], text: 'One two three.', streaming: false, metadata: metadataOfPart(0) },
    ]);
    expect(slack.methods()).toEqual(['chat.startStream', 'chat.appendStream', 'chat.stopStream']);
  });

  test('is one post if nothing was written before, and makes no request when published again', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    await time.until(reply.publish('Short.'));
    await time.until(reply.publish('Short.'));
    expect(slack.methods()).toEqual(['chat.postMessage']);
    expect(slack.messages).toMatchObject([{ text: 'Short.', metadata: metadataOfPart(0) }]);
  });

  test('takes at most 4 requests for 100 tokens in 2 s, 16 for 1,000 and 110 for 10,000', async () => {
    for (const [tokens, limit] of [
      [100, 4],
      [1_000, 16],
      [10_000, 110],
    ] as const) {
      const { slack, platform, time } = openFakeSlack();
      const reply = platform.reply(turn, []);
      let text = '';
      for (let i = 0; i < tokens; i += 1) {
        const word = i % 40 === 39 ? 'end.\n\n' : 'word ';
        text += word;
        reply.write(word);
        await time.advance(20);
      }
      await time.until(reply.publish(text));
      expect(visibleText(slack).trimEnd()).toBe(text.trimEnd());
      expect(slack.calls.length).toBeLessThanOrEqual(limit);
    }
  });

  test('rolls over at a paragraph before a message is full, with code fences closed and opened again', async () => {
    const { slack, platform, time } = openFakeSlack(undefined, 400);
    const reply = platform.reply(turn, []);
    const text = `${'Some words of prose here. '.repeat(12)}\n\n\`\`\`ts\n${'const a = 1;\n'.repeat(40)}\`\`\`\n\nThe end.`;
    for (const word of text.match(/.{1,7}/gs) ?? []) {
      reply.write(word);
      await time.advance(2_000);
    }
    await time.until(reply.publish(text));
    expect(slack.messages.length).toBeGreaterThan(2);
    expect(slack.methods()).not.toContain('chat.update');
    for (const message of slack.messages) {
      expect(message.text.length).toBeLessThanOrEqual(400);
      expect((message.text.match(/^```/gm) ?? []).length % 2).toBe(0);
    }
    expect(
      visibleText(slack)
        .replaceAll(/```(ts)?\n?/g, '')
        .replaceAll('\n', ''),
    ).toBe(text.replaceAll(/```(ts)?\n?/g, '').replaceAll('\n', ''));
  });

  test('begins a new message before Slack closes the stream', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    let text = '';
    for (let i = 0; i < 30; i += 1) {
      const line = `Line ${i}.\n\n`;
      text += line;
      reply.write(line);
      await time.advance(10_000);
    }
    await time.until(reply.publish(text));
    expect(slack.messages.length).toBe(2);
    expect(visibleText(slack).trim()).toBe(text.trim());
  });

  test('begins a new message inside a paragraph that does not end', async () => {
    const { slack, platform, time } = openFakeSlack();
    const reply = platform.reply(turn, []);
    let text = '';
    for (let i = 0; i < 27; i += 1) {
      text += `and so on ${i} `;
      reply.write(`and so on ${i} `);
      await time.advance(10_000);
    }
    expect(slack.messages.map(({ streaming }) => streaming)).toEqual([false, true]);
    await time.until(reply.publish(text));
    expect(visibleText(slack)).toBe(text);
    expect(slack.methods()).not.toContain('chat.update');
  });
});

describe('after failures of Slack', () => {
  test('a refused stream is replaced by a post that is edited', async () => {
    const { slack, platform, time } = openFakeSlack((method) =>
      method === 'chat.startStream' ? { refuse: 'channel_type_not_supported' } : undefined,
    );
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await time.until(reply.posted());
    reply.write('two ');
    await time.advance(2_000);
    await time.until(reply.publish('One two three'));
    expect(slack.methods()).toEqual(['chat.startStream', 'chat.postMessage', 'chat.update', 'chat.update']);
    expect(slack.messages).toMatchObject([{ text: 'One two three', metadata: metadataOfPart(0) }]);
  });

  test('a stream whose start had no response is found, closed and edited', async () => {
    const { slack, platform, time } = openFakeSlack((method) =>
      method === 'chat.startStream' ? 'lost' : undefined,
    );
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await time.advance(2_000);
    await time.until(reply.publish('One two'));
    expect(reply.hasUnconfirmedPosts).toBe(false);
    expect(slack.messages).toMatchObject([
      { text: 'One two', streaming: false, metadata: metadataOfPart(0) },
    ]);
  });

  test('an append without a response does not repeat its words', async () => {
    const { slack, platform, time } = openFakeSlack((method, n) =>
      method === 'chat.appendStream' && n === 1 ? 'lost' : undefined,
    );
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await time.until(reply.posted());
    reply.write('two ');
    await time.advance(2_000);
    reply.write('three');
    await time.advance(2_000);
    await time.until(reply.publish('One two three'));
    expect(slack.messages).toMatchObject([{ text: 'One two three', streaming: false }]);
  });

  test('a throttled append is retried after Retry-After, as an append', async () => {
    const { slack, platform, time } = openFakeSlack((method, n) =>
      method === 'chat.appendStream' && n === 1 ? 'busy' : undefined,
    );
    const reply = platform.reply(turn, []);
    reply.write('One ');
    await time.until(reply.posted());
    reply.write('two ');
    await time.advance(10_000);
    const appends = slack.calls.filter(({ method }) => method === 'chat.appendStream');
    const two = [{ type: 'markdown_text', text: 'two ' }];
    expect(appends.map(({ args }) => args['chunks'])).toEqual([two, two]);
    expect((appends[1]?.at ?? 0) - (appends[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    await time.until(reply.publish('One two three'));
    expect(visibleText(slack)).toBe('One two three');
  });

  test('a post without a response that is not found stays unconfirmed', async () => {
    let first = true;
    const { slack, platform, time } = openFakeSlack((method) => {
      if (method !== 'chat.postMessage' || !first) return undefined;
      first = false;
      return 'gone';
    });
    const reply = platform.reply(turn, []);
    await time.until(reply.publish('Yes.'));
    expect(reply.hasUnconfirmedPosts).toBe(true);
    expect(slack.messages).toMatchObject([{ text: 'Yes.' }]);
  });

  test('publish waits as long as Slack asks', async () => {
    const { slack, platform, time } = openFakeSlack((_, n) => (n < 3 ? 'busy' : undefined));
    await time.until(platform.reply(turn, []).publish('Yes.'));
    expect(time.elapsed()).toBe(3_000);
    expect(visibleText(slack)).toBe('Yes.');
  });

  test('publish rejects after its timeout, and succeeds when repeated later', async () => {
    let down = true;
    const { slack, platform, time } = openFakeSlack(() => (down ? 'gone' : undefined));
    const reply = platform.reply(turn, []);
    reply.write('Yes');
    await expect(time.until(reply.publish('Yes.'))).rejects.toThrow('no time is left');
    down = false;
    await time.until(reply.publish('Yes.'));
    expect(visibleText(slack)).toBe('Yes.');
  });

  test('posted and publish reject at once in an archived channel', async () => {
    const { platform, time } = openFakeSlack(() => ({ refuse: 'is_archived' }));
    const reply = platform.reply(turn, []);
    reply.write('Yes');
    await expect(time.until(reply.posted())).rejects.toThrow('is_archived');
    await expect(time.until(reply.publish('Yes.'))).rejects.toThrow('is_archived');
    expect(time.elapsed()).toBeLessThan(1_000);
  });

  test('publish splits into smaller messages when Slack counts more', async () => {
    const { slack, platform, time } = openFakeSlack((method, _, args) =>
      method === 'chat.postMessage' && String(args['markdown_text']).length > 6_000
        ? { refuse: 'msg_blocks_too_long' }
        : undefined,
    );
    const text = 'word '.repeat(3_000).trimEnd();
    await time.until(platform.reply(turn, []).publish(text));
    expect(visibleText(slack)).toBe(text);
    expect(slack.messages).toHaveLength(4);
  });
});

test('posted resolves when the streaming ends, although no request was confirmed', async () => {
  const { platform, time } = openFakeSlack((method) => {
    if (method === 'chat.startStream') return 'lost';
    return method === 'chat.update' || method === 'chat.stopStream' ? 'gone' : undefined;
  });
  const reply = platform.reply(turn, []);
  const posted = reply.posted();
  reply.write('Hello, here is what I have found about that. ');
  await time.advance(5_000);
  const atEnd = await time.until(reply.stopStreaming());
  expect(atEnd).toHaveLength(1);
  expect(await time.until(posted)).toEqual(atEnd);
});
