"use strict";
// Replaces changed sections, shows the state of the connection, and sends orders of the reader. All HTML
// comes escaped from the page's own server.
(function () {
  const said = document.getElementById("connection");

  function say(text, kind) {
    if (said.textContent !== text) said.textContent = text;
    said.className = kind;
  }

  // Keys of the open details elements.
  function unfolded(element) {
    const open = element.querySelectorAll("details[open][data-key]");
    return new Set(Array.from(open, function (one) { return one.dataset.key; }));
  }

  // Path to the focused element as child indexes, since most elements have no id.
  function pathTo(element, inside) {
    if (!element.contains(inside)) return null;
    const path = [];
    for (let at = inside; at !== element; at = at.parentElement) {
      path.unshift(Array.prototype.indexOf.call(at.parentElement.children, at));
    }
    return path;
  }

  function follow(element, path) {
    return path.reduce(function (at, place) { return at === undefined ? at : at.children[place]; }, element);
  }

  // Scroll positions of inner boxes, in order.
  function scrolled(element) {
    return Array.from(element.querySelectorAll(".scroll, pre"), function (box) {
      return [box.scrollLeft, box.scrollTop];
    });
  }

  // Fields that the reader may be typing in and replies to them, by their key.
  function keyed(element, selector, name) {
    return new Map(Array.from(element.querySelectorAll(selector), function (one) { return [one.dataset[name], one]; }));
  }

  function fields(element) {
    return keyed(element, "input[data-key]", "key");
  }

  function replace(id, html) {
    const old = document.getElementById(id);
    if (old === null) return;
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const fresh = holder.content.firstElementChild;
    if (fresh === null) return;
    const open = unfolded(old);
    const boxes = scrolled(old);
    const typed = fields(old);
    const active = document.activeElement;
    const focus = pathTo(old, active);
    for (const details of fresh.querySelectorAll("details[data-key]")) {
      details.open = open.has(details.dataset.key);
    }
    old.replaceWith(fresh);
    if (fresh.dataset.title) document.title = fresh.dataset.title;
    fresh.querySelectorAll(".scroll, pre").forEach(function (box, place) {
      const was = boxes[place];
      if (was) box.scrollTo(was[0], was[1]);
    });
    const news = fields(fresh);
    for (const [key, field] of news) {
      if (typed.has(key)) field.value = typed.get(key).value;
    }
    const replies = keyed(old, "[data-reply]", "reply");
    for (const [key, reply] of keyed(fresh, "[data-reply]", "reply")) {
      if (replies.has(key)) show(reply, replies.get(key).textContent, replies.get(key).className);
    }
    if (focus === null) return;
    // A typed text must not go on in the field of another question.
    const isField = Array.from(typed.values()).includes(active);
    const target = isField ? news.get(active.dataset.key) : follow(fresh, focus);
    if (!target) return;
    target.focus({ preventScroll: true });
    if (isField) target.setSelectionRange(active.selectionStart, active.selectionEnd);
  }

  // The same format as the page: 8s, 4m 12s, 1h 02m.
  function words(seconds) {
    const two = function (number) { return String(number).padStart(2, "0"); };
    const whole = Math.max(0, Math.floor(seconds));
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    if (hours > 0) return hours + "h " + two(minutes) + "m";
    if (minutes > 0) return minutes + "m " + two(whole % 60) + "s";
    return whole + "s";
  }

  function tick() {
    for (const time of document.querySelectorAll("time[data-since]")) {
      const text = words((Date.now() - Date.parse(time.dataset.since)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  }

  const orders = document.getElementById("orders");

  function answered(text, kind) {
    show(document.getElementById("order-answer"), text, kind);
  }

  function show(element, text, kind) {
    element.textContent = text;
    element.className = kind;
  }

  function read(body) {
    try { return JSON.parse(body); } catch (error) { return { error: body }; }
  }

  // Returns whether the server accepted the order. `answered` shows the reply.
  async function send(order, answered) {
    const body = JSON.stringify(order);
    const headers = { "Content-Type": "application/json" };
    answered("…", "");
    try {
      const response = await fetch(orders.dataset.to, { method: "POST", headers: headers, body: body });
      const said = read(await response.text());
      const refused = said.hint ? said.error + ": " + said.hint : said.error;
      answered(response.ok ? said.text : refused, response.ok ? "good" : "bad");
      return response.ok;
    } catch (error) {
      answered("no response from the server; check that ralph-loop serve is running", "bad");
      return false;
    }
  }

  // Asks for confirmation where an order is hard to undo.
  function toOrder(kind) {
    const story = document.getElementById("head").dataset.story;
    const which = story ? story : "the next story";
    if (kind === "skip") {
      if (!confirm("Skip " + which + "? Its work is kept on a branch, and the run continues with the next story.")) return null;
      return { kind: kind, story: story };
    }
    if (kind === "stop") {
      if (!confirm("Stop the run? The agent may finish its answer. ralph-loop resumes from there.")) return null;
    }
    return { kind: kind };
  }

  if (orders !== null) {
    for (const button of orders.querySelectorAll("button[data-order]")) {
      button.addEventListener("click", function () {
        const order = toOrder(button.dataset.order);
        if (order !== null) send(order, answered);
      });
    }
    const text = document.getElementById("steer-text");
    const story = document.getElementById("steer-story");
    document.getElementById("steer").addEventListener("submit", async function (event) {
      event.preventDefault();
      const said = text.value;
      const chosen = story === null ? "" : story.value;
      if (await send({ kind: "steer", text: said, story: chosen || undefined }, answered)) {
        if (text.value === said) text.value = "";
      }
    });
    document.addEventListener("submit", function (event) {
      if (!event.target.matches("form.answer")) return;
      event.preventDefault();
      answer(event.target);
    });
  }

  // The section may be replaced until the reply arrives.
  async function answer(form) {
    const said = form.elements.text.value;
    const key = form.elements.text.dataset.key;
    const now = function (element, name) { return document.querySelector(element + "[" + name + "=" + CSS.escape(key) + "]"); };
    const order = { kind: "answer", story: form.dataset.story, question: Number(form.dataset.question), text: said };
    const accepted = await send(order, function (text, kind) {
      const reply = now("p", "data-reply");
      if (reply !== null) show(reply, text, kind);
    });
    const field = accepted ? now("input", "data-key") : null;
    if (field !== null) field.value = field.value === said ? "" : field.value;
  }

  const events = new EventSource(document.body.dataset.events);
  const clock = setInterval(tick, 1000);
  events.addEventListener("open", function () { say("live", "live"); });
  events.addEventListener("error", function () {
    say(events.readyState === EventSource.CLOSED ? "connection lost" : "connection lost, reconnecting", "lost");
  });
  events.addEventListener("sections", function (message) {
    for (const [id, html] of Object.entries(JSON.parse(message.data).sections)) replace(id, html);
    tick();
  });
  events.addEventListener("end", function () {
    events.close();
    clearInterval(clock);
    say("the run has ended", "over");
  });
})();
