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
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`/page/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return answer;
    notice(`Not done: ${answer.error}`, 10_000);
  } catch {
    notice('Not done: the connection to this machine is lost.', 10_000);
  }
  return undefined;
}
