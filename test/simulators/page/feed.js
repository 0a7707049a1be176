const RETRY_DELAY_MS = 1_000;

/**
 * Follows the simulator: `everything` at first and after each lost connection, then every `change` and `notice`. `lost`
 * is called once for each time that the connection is lost.
 */
export function follow(listeners) {
  const address = new URL('/page/feed', location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const connect = () => {
    const socket = new WebSocket(address);
    socket.addEventListener('message', ({ data }) => {
      const { event, value } = JSON.parse(data);
      listeners[event]?.(value);
    });
    // A connection that cannot be made is closed, too.
    socket.addEventListener('close', () => {
      listeners.lost();
      setTimeout(connect, RETRY_DELAY_MS);
    });
  };
  connect();
}
