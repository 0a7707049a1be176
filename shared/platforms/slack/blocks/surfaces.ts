/** The ticket of what is answered by showing App Home anew. */
export const HOME = 'home';
/** Behind a `response_url`: the answer takes the place of what was pressed. */
export const REPLACE = '#replace';
