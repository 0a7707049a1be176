import { parseTurnItem } from '../../shared/storage/turns/turn-item.ts';
import { decompressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';
import type { ScenarioResult } from './options.ts';
import { COST, MAX_COST } from './process-ports.ts';

/**
 * Returns the violations in the result of a run. Every question is answered in exactly one turn, alone or merged; for
 * every turn one message of the bot shows what is stored; no status is left; the history is in order; no model
 * request lacks a permit.
 */
export function findViolations(end: ScenarioResult): string[] {
  const turns = endedIn(end.store);
  return [
    ...answers(end, turns),
    ...signs(end),
    ...wishes(end, turns),
    ...history(end, turns),
    ...accounts(end),
    ...leftOpen(end),
  ];
}

function answers({ workspace, questionIds, standing, before }: ScenarioResult, turns: EndedTurns): string[] {
  const channel = workspace.state.messages.get(workspace.channel);
  const messages = [...(channel?.values() ?? [])].filter(
    ({ user, ephemeralTo }) => user === workspace.identity.botUserId && ephemeralTo === undefined,
  );
  const wrong = messages
    .filter(({ stream }) => stream?.open === true)
    .map(({ ts }) => `message ${ts} is left streaming`);
  const covered = turns.flatMap(({ questions }) =>
    questions.filter(([, text]) => text !== '').map(([id]) => id),
  );
  const visible = messages.map(({ text }) => text);
  for (const [i, ts] of questionIds.entries()) {
    const times = covered.filter((id) => id === ts).length;
    // When the root is deleted, earlier answers stay, and nothing else is answered.
    const may = i > 0 && before?.includes(ts) && times < 2;
    if (!may && times !== (standing.has(ts) ? 1 : 0))
      wrong.push(`question ${i + 1} is answered in ${times} turns`);
  }
  for (const { id, text } of turns) {
    if (!visible.includes(text)) wrong.push(`the turn of ${id} ended with "${text}", which nobody sees`);
  }
  if (messages.length !== turns.length) {
    wrong.push(`${messages.length} messages for ${turns.length} turns: ${JSON.stringify(visible)}`);
  }
  return wrong;
}

/** No status is left. */
function signs({ workspace, harness }: ScenarioResult): string[] {
  const { statuses, sessions } = workspace.state;
  const left = [...statuses.values()]
    .filter(({ until }) => until > harness.now)
    .map(({ words }) => `the status "${words}" is left`);
  const working = [...sessions.values()].filter(({ status }) => status === 'processing');
  return [...left, ...working.map(({ thread }) => `the session of ${thread} is left processing`)];
}

/** An edited question is answered in its last version. */
function wishes({ standing }: ScenarioResult, turns: EndedTurns): string[] {
  const questionTexts = new Map(turns.flatMap(({ questions }) => questions));
  return [...standing].flatMap(([ts, text]) => {
    const answered = questionTexts.get(ts);
    return answered === undefined || answered === text
      ? []
      : [`"${answered}" was answered, "${text}" is asked`];
  });
}

function history({ questionIds, rewritten }: ScenarioResult, turns: EndedTurns): string[] {
  const strangers = turns.filter(({ id }) => !questionIds.includes(id));
  return [
    ...(strangers.length === 0 ? [] : [`the history holds ${strangers.map(({ id }) => id).join()}`]),
    ...(rewritten === 0 ? [] : [`${rewritten} stored turns were replaced`]),
  ];
}

function accounts({ requests, tokens, store, settled }: ScenarioResult): string[] {
  const wrong = requests <= tokens ? [] : [`${requests} requests on ${tokens} tokens`];
  for (const { pk, sk, used, n } of store.items('conversations')) {
    if (used?.N === undefined || n?.N === undefined || pk?.S !== 'ACCOUNT#*') continue;
    const count = Number(n.N);
    const ended = [...settled].filter((one) => one.startsWith(`${sk?.S} `)).length;
    // An answered request is settled once at its price; one that failed after it was sent stays reserved.
    const owed = BigInt(count) * MAX_COST - BigInt(ended) * (MAX_COST - COST);
    if (BigInt(used.N) !== owed)
      wrong.push(`${used.N} is booked on ${sk?.S} for ${count} calls, ${ended} of them ended`);
    // Questions of another day are on the accounts of that day.
    if (sk?.S?.startsWith('M#') && count < requests) wrong.push(`${requests} requests, ${count} booked`);
  }
  return wrong;
}

/** Nothing stays open: no reconcile pass, and no expired reservation on an account with later bookings. */
function leftOpen({
  store,
  prompts,
  questionIds,
  standing,
  endedAt,
  isPlain,
  harness,
}: ScenarioResult): string[] {
  const items = store.items('conversations');
  const open = items.flatMap(({ open: mark, id }) => (mark === undefined ? [] : [id?.S ?? '']));
  const wrong = open.map((id) => `a later look at ${id} is left`);
  // The account of a day has no bookings after the day.
  const holds = items
    .filter(({ sk }) => sk?.S?.startsWith('D#') !== true)
    .flatMap((item) => Object.entries(item))
    .filter(([name]) => name.startsWith('hold_'));
  for (const [name, value] of holds) {
    if (Number(value.S?.split('@')[1]) < harness.now) wrong.push(`${name} is left for ever`);
  }
  if (!isPlain) return wrong;
  for (const ts of questionIds) {
    const [text = '', ended = Infinity] = [standing.get(ts), endedAt.get(ts)];
    if (prompts.some(({ question, at }) => question === text && at > ended))
      wrong.push(`"${text}" was asked again after it was answered`);
  }
  return wrong;
}

type EndedTurns = ReturnType<typeof endedIn>;

/** The ended turns, in the order of the history. */
function endedIn(store: ScenarioResult['store']) {
  return store
    .items('conversations')
    .filter((item) => item['body'] !== undefined)
    .map(parseTurnItem)
    .toSorted((a, b) => (a.sk.S < b.sk.S ? -1 : 1))
    .map((item) => {
      const { question, outcome, mergedQuestions = [] } = decompressTurn(item.body?.B ?? new Uint8Array());
      const own: [string, string] = [item.id.S, question];
      const questions = [own, ...mergedQuestions.map((one): [string, string] => [one.message, one.question])];
      return { id: item.id.S, questions, text: outcome.text };
    });
}
