/** Used in place of a `response_url` if the response is to publish App Home again. */
export const HOME = 'home';
/** The fragment of a `response_url` whose response replaces the message of the pressed button. */
export const REPLACE = '#replace';
