const key = (person, place) => `${person}/${place}`;

/** Where something came in while a person of this window was not looking. */
export function createUnread() {
  const places = new Set();
  return {
    add: (person, place) => void places.add(key(person, place)),
    read: (person, place) => void places.delete(key(person, place)),
    has: (person, place) => places.has(key(person, place)),
    /** Whether there is anything for this person. */
    any: (person) => [...places].some((one) => one.startsWith(`${person}/`)),
  };
}
