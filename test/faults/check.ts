import { readItem } from '../../shared/store/turn-item.ts';
import { unpack } from '../../shared/store/pack.ts';
import type { Aftermath } from './scenario.ts';

/**
 * What is wrong with how a run ended; empty if nothing is. Every question is answered in exactly one turn, alone or
 * together with others; for every turn one message of the bot says what is stored for it; the history is in order; and no request to the upstream without a token.
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
  const turns = endedIn(store);
  const covered = turns.flatMap(({ id, folded }) => [id, ...folded]);
  const visible = said.map(({ text }) => text);
  for (const [i, ts] of asked.entries()) {
    const times = covered.filter((id) => id === ts).length;
    if (times !== 1) wrong.push(`question ${i + 1} is answered in ${times} turns`);
  }
  for (const { id, text } of turns) {
    if (!visible.includes(text)) wrong.push(`the turn of ${id} ended with "${text}", which nobody sees`);
  }
  if (said.length !== turns.length) {
    wrong.push(`${said.length} messages for ${turns.length} turns: ${JSON.stringify(visible)}`);
  }
  return wrong;
}

function history({ store, asked, rewritten }: Aftermath): string[] {
  const turns = endedIn(store);
  const strangers = turns.filter(({ id }) => !asked.includes(id));
  return [
    ...(strangers.length === 0 ? [] : [`the history holds ${strangers.map(({ id }) => id).join()}`]),
    ...(rewritten === 0 ? [] : [`${rewritten} stored turns were replaced`]),
  ];
}

function accounts({ requests, tokens }: Aftermath): string[] {
  return requests <= tokens ? [] : [`${requests} requests on ${tokens} tokens`];
}

/** The turns that ended, in the order of the history. */
function endedIn(store: Aftermath['store']) {
  return store
    .items('conversations')
    .filter((item) => item['body'] !== undefined)
    .map(readItem)
    .toSorted((a, b) => (a.sk.S < b.sk.S ? -1 : 1))
    .map((item) => {
      const { ending, folded = [] } = unpack(item.body?.B ?? new Uint8Array());
      return {
        id: item.id.S,
        n: item.n ?? 0,
        text: ending.text,
        folded: folded.map(({ message }) => message),
      };
    });
}
