/** The longest that the simulator needs is three seconds, for an app that does not answer. */
const TIMEOUT_MS = 30_000;

let timer;

/** Says something above the page, for so long; nothing takes it away. */
export function notice(words, ms) {
  clearTimeout(timer);
  const bar = document.querySelector('#notice');
  bar.hidden = !words;
  bar.textContent = words ?? '';
  if (words && ms) timer = setTimeout(() => notice(), ms);
}

/** Asks the simulator to do something. Undefined after telling why it was not done. */
export async function ask(action, body) {
  const { answer, error } = await request(action, body);
  if (error !== undefined) notice(`Not done: ${error}`, 10_000);
  return answer;
}

/** The same for who tells people themselves: `{answer}`, or `{error}` in words for people. */
export async function request(action, body) {
  try {
    const response = await fetch(`/page/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await response.json();
    return response.ok ? { answer } : { error: answer.error };
  } catch (error) {
    return {
      error:
        error.name === 'TimeoutError'
          ? `this machine has not answered for ${TIMEOUT_MS / 1_000} seconds.`
          : 'the connection to this machine is lost.',
    };
  }
}
