// Lists that act on a choice: by arrow keys and letters it counts at Enter, or when the focus leaves, not at each step.

type Act = (value: string, list: HTMLSelectElement) => void;

/** Calls `chosen` with the value of a list that somebody chose, and the list. */
export function choice(list: HTMLSelectElement, chosen: Act) {
  let [act, isStepping, isPending] = [chosen, false, false];
  const done = () => {
    const isDue = isPending;
    isPending = false;
    if (isDue) act(list.value, list);
  };
  const listeners: Record<string, (event: Event) => void> = {
    pointerdown: () => (isStepping = false),
    keydown: (event) => {
      const { key, altKey } = event as KeyboardEvent;
      isStepping = !altKey && ![" ", "Enter", "F4", "Tab", "Shift"].includes(key);
      if (key !== "Enter" || !isPending) return;
      event.preventDefault();
      done();
    },
    change: () => {
      isPending = true;
      if (!isStepping) done();
    },
    blur: done,
  };
  for (const [name, listener] of Object.entries(listeners)) list.addEventListener(name, listener);
  return { update: (to: Act) => (act = to), destroy: () => Object.entries(listeners).forEach(([name, listener]) => list.removeEventListener(name, listener)) };
}
