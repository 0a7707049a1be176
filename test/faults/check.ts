import { readItem } from '../../shared/store/turn-item.ts';
import { unpack } from '../../shared/store/pack.ts';
import type { Aftermath } from './scenario.ts';

/**
 * What is wrong with how a run ended; empty if nothing is. For every question: one message of the bot that says what is
 * stored for it, complete and once, in the history once and in order; and no request to the upstream without a token.
 */
export function faultsOf(end: Aftermath): string[] {
  return [...answers(end), ...history(end), ...accounts(end)];
}

function answers({ workspace, store, asked }: Aftermath): string[] {
  const channel = workspace.state.messages.get(workspace.channel);
  const said = [...(channel?.values() ?? [])].filter(({ user }) => user === workspace.identity.botUserId);
  const wrong = said
    .filter(({ stream }) => stream?.open === true)
    .map(({ ts }) => `message ${ts} is left streaming`);
  const expected = asked.map((ts) => endingOf(store, ts)?.ending.text);
  const visible = said.map(({ text }) => text);
  for (const [i, text] of expected.entries()) {
    if (text === undefined) wrong.push(`question ${i + 1} has no ending`);
    else if (!visible.includes(text)) wrong.push(`question ${i + 1} ended with "${text}", which nobody sees`);
  }
  if (said.length !== asked.length) {
    wrong.push(`${said.length} messages for ${asked.length} questions: ${JSON.stringify(visible)}`);
  }
  return wrong;
}

function history({ store, asked, rewritten }: Aftermath): string[] {
  const ended = store
    .items('conversations')
    .filter((item) => item['body'] !== undefined)
    .map(readItem)
    .toSorted((a, b) => (a.sk.S < b.sk.S ? -1 : 1));
  const order = ended.map(({ id }) => id.S).join() === asked.join();
  // Two may share a number when one of them was given up while the next was being answered.
  const numbers = ended.every(({ n = 0 }, i) => n >= (ended[i - 1]?.n ?? 1) && n <= i + 1);
  return [
    ...(order ? [] : [`the history holds ${ended.map(({ id }) => id.S).join()}, asked were ${asked.join()}`]),
    ...(numbers ? [] : [`the turns are numbered ${ended.map(({ n }) => n).join()}`]),
    ...(rewritten === 0 ? [] : [`${rewritten} stored turns were replaced`]),
  ];
}

function accounts({ requests, tokens }: Aftermath): string[] {
  return requests <= tokens ? [] : [`${requests} requests on ${tokens} tokens`];
}

function endingOf(store: Aftermath['store'], ts: string) {
  const item = store.items('conversations').find(({ id, body }) => id?.S === ts && body?.B !== undefined);
  return item?.['body']?.B && unpack(item['body'].B);
}
