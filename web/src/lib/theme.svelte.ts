// Light, dark, or as the system has it; the choice stays in this browser.
export type Theme = "system" | "light" | "dark";
const ORDER: Theme[] = ["system", "light", "dark"];

class Chosen {
  theme = $state<Theme>("system");

  read(): void {
    const kept = localStorage.getItem("theme") as Theme | null;
    this.set(kept && ORDER.includes(kept) ? kept : "system");
  }

  set(theme: Theme): void {
    this.theme = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }

  next(): void {
    this.set(ORDER[(ORDER.indexOf(this.theme) + 1) % ORDER.length]!);
  }
}

export const chosen = new Chosen();
