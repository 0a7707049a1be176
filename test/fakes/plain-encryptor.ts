/** Seals by base64, and names the purpose: enough to see that both are asked for. */
export const plainEncryptor = {
  encrypt: async (text: string, about: string) => Buffer.from(`${about}:${btoa(text)}`),
  decrypt: async (sealed: Uint8Array, about: string) => {
    const text = Buffer.from(sealed).toString();
    if (!text.startsWith(`${about}:`)) throw new Error('sealed for something else');
    return atob(text.slice(about.length + 1));
  },
};
